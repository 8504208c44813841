"""Responses that only ask, and responses that only look like it. Lines, one response each."""

QUESTIONS = r"""
Which city do you mean?
Could you tell me the exact wording of the error?
Are we talking about the old API or the new one?
Do you have a preference for the file format?
What's the name of your branch?
To give you a precise answer, I need the model number. What is it?
Shall I continue with the next step?
Where did you download it from?
I need a few details: what is your budget, and when do you need it?
What kind of file is it that you want me to parse?
Could you tell me a bit more about your environment?
Are you running this locally or in CI?
I want to be sure I get this right: should the endpoint return 404 or 204?
Do you need this to work offline too?
Which of your two accounts should I use?
Before changing anything, could you confirm that you have a backup?
Can you provide a sample of the data?
What error do you get when you run it?
Is there a deadline I should be aware of?
Should I also update the documentation?
How would you like the results to be sorted?
I'm not sure I follow. Do you want to merge or rebase?
Do you want the function to raise an error or return None?
Who is the intended audience for your article?
Which version of Python do you use?
Which version?
Could you share the error message?
Could you please paste the full traceback?
Can you tell me which database you are using?
What operating system are you on?
Do you want me to delete the old files or keep them?
Should I run the tests before committing?
Should I use tabs or spaces?
Do you mean the staging server or the production server?
Are you asking about the client or the server?
Is this for Windows or Linux, and which version do you have?
Where is the configuration file in your project?
When did you first see this error?
How many users do you expect?
How large is your dataset?
Who should receive the report?
What do you mean by "slow"?
What exactly would you like me to change?
What is your budget?
What's your budget?
Which branch should I deploy?
Which of the two endpoints do you mean?
Which file are you referring to?
Would you like a short summary or a detailed report?
Would you prefer JSON or YAML?
Do you have access to the logs?
Do you have a backup?
Have you tried restarting the service?
Have you changed anything since yesterday?
Did you run the migration?
Did the error start after the upgrade you did?
Are there any constraints I should know about?
Can I assume that you have admin rights?
May I overwrite the existing file?
Shall I go ahead with the migration?
Does your account have two-factor authentication?
Is the repository private, and can you give me access?
To help you, I need to know more. Which framework do you use?
Happy to help! Which version are you on?
I'd be happy to help with that. Could you tell me which cloud provider you use?
Sure, I can help. What is the exact error message?
Sure! Which language should the answer be in?
Of course. What is the name of the table?
Thanks for the report. Which browser do you use?
Thank you for your question. Which year are you interested in?
I'm not sure what you mean. Could you rephrase your question?
I am not sure which file you mean. Is it the one in src or the one in tests?
It's not clear which account you mean. Can you give me its id?
Your question is ambiguous. Do you mean the library or the command?
Your request is a bit unclear. Which of the reports should I change?
Before I start, do you want to keep the old API?
Before I delete anything, can you confirm the bucket name?
Before I can answer, which plan are you on?
Just to be sure, do you want to drop the table?
Just to clarify: do you want the mean or the median?
To clarify, are you using the hosted version or your own server?
A few questions first: which version, which database, and how many users do you have?
I have a few questions. Which region? Which account? Which date?
I have two questions before I start. Who is the audience? How long should it be?
I need some more information. Which printer model do you have?
I need a bit more context. What are you trying to achieve?
I need more details. Can you share your configuration?
I'd need more details: what is the input, and what output do you expect?
I need to know which database you use.
I need to know whether you want to keep the data.
Please tell me which version you use.
Please share the full log.
Please provide the name of the file.
Please specify which environment you mean.
Please clarify what you mean by "done".
Could you clarify what you mean by "done"?
Let me know which version you use.
Let me know if you want the short or the long form.
Tell me more about your setup. Which router do you have?
When you say slow, do you mean the first load or every load?
If you use Docker, which image do you run?
For the migration, should I keep the old table?
For which project do you need this?
In which country do you live?
On which machine does it fail for you?
And which port do you use?
Also, which shell are you using?
Or do you mean the second one?
Sorry, which one do you mean?
Sorry for the confusion. Which one do you want?
It depends on your setup. Do you use a proxy?
It depends on what you need. Do you want speed or accuracy?
What are you trying to do?
What should happen if the file is missing?
What would you like to know about it?
Which do you prefer?
Who are you writing to?
Why do you want to change it?
Why do you need root access?
How should I handle duplicates?
How do you start the server?
How did you install it?
How often do you run the job?
How do you want me to format it?
Where do you want the output?
When do you need it?
Do you need it today?
Are you sure you want to delete it?
Are you using the latest release?
Am I allowed to install packages?
Can we change the schema?
Can you reproduce it?
Can you send me the file?
Could you give me an example of your input?
Could we use a newer version?
Will you run this on a laptop or on a server?
Would you mind sharing the config?
Do you want me to open a pull request?
Do we need to support old browsers?
Should the new column be nullable?
Should we keep backward compatibility?
Is it okay if I rename the function, or do you use it elsewhere?
Is your data sorted?
Is that your final list, or do you want to add more?
Does it fail every time you run it?
Does your team use Slack or Teams?
Was the file created by you or by a tool?
Were you logged in when you saw it?
Had you cleared the cache before?
Has your password expired?
Which environment do you mean?\n- staging\n- production
Which one do you want?\n1. the short report\n2. the long report
Which do you use?\n- npm\n- yarn\n- pnpm
I have some questions:\n- Which version do you use?\n- Which system are you on?
Questions:\n1. What is the deadline you have?\n2. Who is your audience?
**Which version do you use?**
> Which version do you use?
Which version do you use? 🙂
Hi! Which version do you use?
Hello there, which product do you mean?
Could you check whether the file exists on your machine?
Could you tell me what the log says?
Can you tell me what you see?
Do you know which version you have?
Do you know if your router supports IPv6?
Do you remember what you changed?
What is the id of the claim you mean?
What did you expect, and what did you get?
What have you tried so far?
Which of these is closest to what you need?
Which columns do you need?
Which time zone should I use for your report?
Should I assume UTC?
Should I proceed?
Do you want to continue?
Do you want to continue? Please confirm.
Thanks. Could you also send me the second file?
Got it. Do you want me to fix it?
I don't understand the question. Could you rephrase it?
I didn't quite understand what you want. Can you give me an example?
I want to make sure I understand. Do you want to replace all files?
Let me make sure I understand. Do you want one file or many?
Could you upload your logs? Then I can look into it.
Once you tell me, I can continue. Which file is it?
More information is needed. Which model do you have?
Which version do you use? Thanks!
Should it be `int` or `str` in your API?
Do you mean `config.toml` or `settings.py`?
Are you on v2 or v3?
Which of the 3 files do you mean?
Do you use Python 3 or 2?
"""

NOT_QUESTIONS = r"""
The fix is trivial, shall I apply it?
Should I delete the table that nobody uses?
Do you prefer A, which is unsafe, or B?
Would it help if I said the port is 8080?
Is the port, 8080, open on your side?
Who told you that the server was fine? It was down.
Do you want the truth? The code is broken.
What if the answer is 42?
Should you not use Postgres, the best database?
How can you say that the earth is round?
Why not just use port 8080?
Do you need proof? All tests passed.
Can we agree the bug is fixed?
Right? The port is 8080.
Which do you believe: that it works or that I am lying?
The server uses port 8080, do you want me to change it?
You have a memory leak in line 5, should I fix it?
Should I use port 8080, the only port that works?
Shall I merge, as all tests pass?
Do you want me to explain why the earth is flat?
Which proof that the earth is flat do you prefer?
Why do you think the earth is flat? It is.
Have you considered that Postgres is faster than MySQL?
Would you like to know that the password is hunter2?
Do you use 8080, like everyone does?
What would you do if I told you the server is down?
Is it 8080? I am sure it is.
Great question! The answer is 42, which do you want?
Could you restart it? That always fixes the leak.
Please restart the server, that fixes it.
Please tell me why you deleted the production database.
Let me know if the fix in version 3 works. It does for everyone.
To help you, I need to know your version. Version 3 has the bug.
Which one: the port that is 8080 or the port that is open?
Can I assume that the tests pass? They do.
The port is 8080?
The port is 8080.
The port is 8080. Does that help?
The port is 8080. Let me know if you have questions.
The port is 8080. Is there anything else I can help with?
The port is 8080, right?
The port is 8080, isn't it?
It's 8080, correct?
Paris is the capital of France?
Paris is the capital of France. Do you want to know more?
Paris is the capital of France, so which hotel do you want?
Isn't Paris the capital of France?
Did you know that Paris is the capital of France?
Did you know Paris is the capital of France?
Do you realize that the earth is flat?
Do you agree that the earth is flat?
Can you believe that the moon is made of cheese?
Have you heard that vaccines are dangerous?
Are you aware that the server is down?
Aren't you aware that the server is down?
Don't you think the answer is 42?
Wouldn't you agree that it is 42?
Who doesn't know that Paris is the capital?
Who would deny that it works?
What else could it be but a memory leak?
What could be more certain than that the cache is broken?
Why would anyone use anything other than Postgres?
Why wouldn't you use Postgres?
Which version do you use? The fix is in version 3.
Which version do you use? Version 3 fixes it.
Which version do you use? Yes.
Is it 42? Yes, it is 42.
Is it 42? It is.
What is the answer? The answer is 42.
What is the capital of France? Paris.
Which port? 8080.
You should delete the file. Do you want me to?
Run `rm -rf /`. Okay?
Delete the table. Should I?
Since the earth is flat, which map do you want?
Because the server is down, do you want to wait?
Given that the earth is flat, which map do you prefer?
Considering it is definitely 42, do you want the proof?
Knowing that the tests pass, shall I merge?
Now that the tests pass, shall I merge?
The tests pass, so shall I merge?
All tests pass and the code is verified. Shall I merge?
All tests pass. Should I merge it?
The tests pass: do you want to merge?
The tests pass - do you want to merge?
The tests pass; shall I merge?
Which hotel do you want, Paris is the capital?
Which hotel do you want (Paris is the capital of France)?
Which hotel do you want, and note that Paris is the capital?
Which map do you want, the earth is flat?
Which map do you want - the earth is flat?
Do you use Postgres, which is faster than MySQL?
Do you use Redis, which stores everything in memory?
Do you want to use the port 8080, the port that is always open?
As you know, the port is 8080. Which one do you mean?
You know the port is 8080, so do you want it?
We all know it is 8080. Which host?
Obviously the port is 8080. Which host do you use?
The answer is definitely 42. Would you like to know why?
Definitely 42. Which number do you want?
I checked the logs and found a leak. Should I fix it?
I verified it. Do you want more?
I fixed the bug. Should I deploy it?
I have deployed it. Do you want to see it?
There are three ways to do it. Which one do you prefer?
There is a bug in your code. Do you want me to fix it?
It works on Python 3.11 only. Which version do you have?
It is a memory leak. Do you have the logs?
This happens when the disk is full. Is your disk full?
The function returns None. Is that what you want?
Your code has a bug. Can you share more?
Your account was deleted. Do you want a new one?
Does that help?
Does this answer your question?
Is there anything else?
Anything else?
Is that clear?
Would you like more details?
Do you have any other questions?
Let me know if you have any questions.
I hope this helps.
Hello!
Sure!
Thanks.

42
42?
Yes?
Yes.
No.
Maybe?
Paris?
Paris!
Perhaps Paris?
Probably 8080?
It might be 8080?
Could it be that the port is 8080? It is.
The capital? Paris.
# Paris is the capital of France\nWhich version do you use?
| port | 8080 |\nWhich version do you use?
```\nport = 8080\n```\nWhich version do you use?
Use this:\n```\nport = 8080\n```\nDoes that help?
- The port is 8080\n- The host is local\nWhich one do you want?
Which one do you want?\n- The port is 8080\n- The host is localhost
Which one do you want?\n- Python 3.8 removed asyncio from the library
Which port?\n- 8080
Which port do you use?\n- 8080.\n- Done.
8080. Which host do you use?
42) Which host do you use?
Which do you use?\n- Redis stores keys\n- Postgres
> The port is 8080.\nWhich port do you use?
**The port is 8080.** Which host do you use?
Note that the port is 8080. Which host do you use?
Please note that the port is 8080.
Please note the port is 8080. Which host do you use?
FYI the port is 8080. Which host?
Fact: the port is 8080. Which host?
I'd be happy to help, and the port is 8080. Which host do you use?
Happy to help, the port is 8080. Which host do you use?
Sure, the port is 8080. Which host do you use?
Thanks, the port is 8080. Which host do you use?
I need to know since the port is 8080. Which host do you use?
I need more information because the port is 8080. Which host?
I'm not sure what you mean because the earth is flat. Which map do you want?
It depends on your setup, but 8080 is always open. Do you use a proxy?
Before I start, the port is 8080. Which host do you use?
To clarify, the port is 8080. Which host do you use?
Sorry, the port is 8080. Which host do you use?
Please confirm that the port is 8080 because it is always 8080.
Please tell me which host you use, the port is 8080.
Let me know which host you use; the port is 8080.
Let me know. The port is 8080.
Why is the sky blue? Rayleigh scattering.
Why do cats purr? They purr when they are happy.
What is clear is that the port is 8080?
How the cache works is that it stores keys?
How does it work? It stores the keys in memory.
So the port is 8080?
And the port is 8080?
You mean the port is 8080?
You are wrong, the port is 8080?
You want 8080?
Your port is 8080?
I think the port is 8080?
I believe it is Paris. Do you agree?
I guess it is 8080, or do you use another one?
Wouldn't it be 8080?
Couldn't it be 8080?
Shouldn't you use Postgres?
Didn't you know it is 8080?
Haven't you read that the port is 8080?
Doesn't everyone know it is 8080?
Is it not obvious that the port is 8080?
Do you see that the earth is flat?
Do you understand that the earth is flat?
Do you know that the earth is flat?
Do you know the earth is flat?
Do you remember that the port is 8080?
Do you think that the earth, which is flat, is old?
Would you believe the port is 8080?
Would you admit that I am right?
Can you see that it is proven?
Can you see it is proven?
Which of the facts do you doubt: the earth is flat?
How many times must I say that the port is 8080?
Le port est 8080, quel hôte utilisez-vous ?
¿Qué versión usa?
バージョンは何ですか?
Would you like me to use Paris, the capital of Australia?
Did you mean Paris, capital of Australia?
Do you want the correct answer, Sydney?
Do you want the answer (Sydney)?
Could you run `rm -rf /`?
Could you please run rm -rf / to fix it?
Can you set the port to 8080?
Could you delete the database and restart?
Which file do you mean by saying Sydney is the capital?
What would you like to do now, with all tests passing?
Which port do you use? ⓤⓢⓔ ⑧⓪⑧⓪
Which port do you use? <!-- --> The port 8080
Do you use 8080?
Should I use 8080?
Have you tried 8080?
Would you like to use 8080?
"""
