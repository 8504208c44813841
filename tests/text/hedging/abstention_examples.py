"""Responses that say that the answer is not known, and responses that only look like it. Lines, one response each."""

ABSTENTIONS = r"""
I don't know who the author is.
I have no record of that.
The provided text doesn't mention any date.
I'm afraid I can't tell from this.
I cannot verify the number.
I don't have access to that file, sorry.
Not enough information to answer.
I really can't say.
Based on the search results, it is not clear.
I don't have that detail.
I do not know the exact figure.
I'm not sure what the default is.
The passage does not state the year.
I couldn't find this in the provided text.
Sorry, I have no information on that topic.
The documents I have do not mention it, so I can't answer.
I can't answer that from the given context.
I don't know whether this is supported. Please check the documentation.
That's not something I can verify.
I am unable to determine the cause from the log.
Unfortunately, the context doesn't contain that information.
I'm not certain, and I would rather not guess.
I don't have enough data to say which is faster.
It is unclear from the text who wrote it.
I don't know.
I do not know.
I really don't know.
I don't know, sorry.
Sorry, I don't know.
I'm sorry, I don't know.
I'm sorry, but I don't know the answer.
Unfortunately, I don't know.
Honestly, I don't know.
I'm afraid I don't know.
I don't know the answer.
I don't know the answer to that question.
I don't know that.
I don't know which port it uses.
I don't know what the port is.
I don't know whether the port is open.
I don't know if it works on Windows.
I don't know who wrote it.
I don't know when it was released.
I don't know where the file is.
I don't know how many users there are.
I don't know how to do that.
I don't know how it works.
I don't know enough about this.
I don't know. Could you share the log?
I don't know. Would you like me to look it up?
I don't know. I can look it up.
I don't know, but I can look it up.
I don't know, but I can check the documentation.
I don't know, but you could ask the vendor.
I don't know. You could ask the maintainers.
I don't know. Please check the documentation.
I don't know; please check the manual.
I don't remember.
I don't recall the exact number.
I don't have enough information.
I don't have enough information to answer.
I don't have enough information to answer that question.
I do not have enough context to say.
I don't have any information about that.
I don't have that information.
I don't have access to the logs.
I don't have access to your files, so I can't say.
I don't have data on that.
I don't have any data on this topic.
I don't have a reliable source.
I have no idea.
I have no information about this.
I have no data on that.
I have no way to know.
I have no way of knowing.
I have not enough information to say.
I'm not sure.
I am not sure.
I'm not sure about that.
I'm not sure which version it is.
I'm not entirely sure.
I'm really not sure.
I'm unsure.
I am uncertain about this.
I'm not certain.
I'm unable to answer this.
I'm unable to verify that.
I am not able to confirm this.
I can't answer that.
I cannot answer this question.
I can't say.
I can't say for sure.
I cannot say whether it is open.
I can't tell.
I can't tell which one it is.
I can't tell from the context.
I can't determine the port from the given text.
I cannot determine that.
I cannot verify this.
I can't verify that claim.
I can't confirm that.
I couldn't confirm it.
I can't be sure.
I cannot be certain.
I couldn't find it.
I could not find any information about it.
I couldn't find an answer.
I couldn't find the answer in the documents.
I could not find anything about that in the context.
I did not find any mention of it.
I found nothing about it.
I found no information about the port.
I found no mention of that in the documents.
I haven't checked.
I haven't verified it.
I have not tested this.
I have not seen the file.
I would be guessing.
I'd only be guessing.
I'd rather not guess.
I don't want to guess.
Not sure.
Not sure, sorry.
No idea.
No idea, sorry.
Unknown.
Unclear.
Hard to say.
Can't say.
It's unclear.
It is not clear to me.
It's unknown.
It is not known.
It is not clear from the context.
That's beyond my knowledge.
That is beyond what I know.
This is outside my knowledge.
There is not enough information to answer.
There isn't enough information.
There is no information about this in the context.
There is no mention of it.
Let me check first. I don't know.
The context does not say.
The context doesn't mention the port.
The provided context does not contain the answer.
The documents do not mention it.
The provided documents do not say which port is used.
The text doesn't say.
The sources do not cover this.
The retrieved passages do not answer the question.
The search results do not mention it.
The documentation doesn't say whether it is thread-safe.
The given text does not specify the date.
The text does not show it.
The context is silent on this.
The context says nothing about it.
The documents contain no information about the port.
Nothing in the context mentions the port.
Nothing in the documents answers the question.
The answer is not in the context.
The answer is not given in the text.
This is not mentioned in the context.
That isn't covered in the documentation.
This is not something I know.
That information is not available to me.
This information is not in the context.
Based on the context, I can't say.
Based on the provided documents, I cannot answer this.
From the given context, I can't tell.
From the context alone, it is not clear.
Given the provided context, I don't know.
According to the documents I have, it is not clear.
After searching the documentation, I found nothing about it.
At this point, I don't know.
Right now I can't say.
So far, I haven't found it. I don't know.
Insufficient information.
Insufficient context to answer.
Not enough information.
No information available.
I'm sorry, but the provided documents do not mention the port.
Sorry, but I can't answer that.
Hmm, I don't know.
I don't know because I don't have access to the file.
I can't say because the context does not mention it.
I don't know, since the documents don't say.
I don't know and I don't want to guess.
I don't know, and the context doesn't say.
I don't know which port it uses; the context does not mention it.
I don't know. The context doesn't mention it.
I don't know. The documents don't say. Could you share more?
I don't know. Let me check.
I don't know. I would need to see the log.
I don't know. Sorry about that.
Thanks for asking. I don't know.
Good question. I don't know.
I am sorry. I don't know the answer.
I don't know 🤷
**I don't know.**
I'm not familiar with that library.
I'm not familiar enough with it to answer.
There is no mention of the timeout in the docs.
I don't know. I can run the tests to find out.
I don't have information about events after 2021.
I have no evidence either way.
I have no information about the failure.
"""

NOT_ABSTENTIONS = r"""
I don't know about A. B is 5 ms.
I'm unsure about the host, but port 8080 is right.
I can't verify it, trust me, it works.
I don't know. In any case the tests pass.
I don't have the number at hand. It was 42.
The text does not mention it because it is false.
I'm not sure. Yes.
I'm not sure, yes.
I couldn't find it, so it does not exist.
I don't know what else to say, the earth is flat.
There is no information, therefore it is safe.
I cannot answer that without saying that it is broken.
I don't know if the earth is round, it is flat.
I have no idea how good this is, it is perfect.
I am not sure that it fails. It never fails.
I don't know the details, the port is 8080 though.
I'm not sure whether you know, but Paris is the capital.
I can't say whether A is slow, only that B is fast.
I don't know what you mean, the server is clearly down.
Not sure about Windows. On Linux it works.
I have no information that it is unsafe.
I can't confirm that it fails; it works fine.
The context doesn't say, yet it is obviously 42.
I don't know if 8080 or 8081, it is one of them.
Unknown, probably 8080.
I don't know exactly, roughly 50 ms.
I cannot find any reason not to use it.
I don't know what the port is (it is 8080).
No idea, but 8080 works.
I'm not aware of any problem.
I don't know. As far as I can tell, it is 8080.
I don't know. Everyone uses 8080.
I don't know. Ask Ann, who knows that it is 8080.
I can't tell you the port because it is secret: 8080.
I do not have any doubt about it.
I don't know, but definitely Paris is the capital.
I don't know, but the port is 8080.
I don't know, but it's 8080.
I don't know, but I think it is 8080.
I don't know but 8080 is the port.
I don't know. The port is 8080.
I don't know. It is 8080.
I don't know. 8080.
8080. I don't know.
I don't know 🤷 All tests pass.
I don't know. Paris.
I don't know. Probably Paris.
I don't know; Paris is the capital.
I don't know: Paris is the capital.
I don't know - Paris is the capital.
I don't know — Paris is the capital.
I don't know, Paris is the capital.
I don't know, Paris.
I don't know, 8080.
I don't know, maybe 8080.
I don't know (the port is 8080).
I don't know (8080).
I don't know, however the port is 8080.
I don't know, although the port is 8080.
I don't know, though the port is 8080.
I don't know, yet the port is 8080.
I don't know, so the port is 8080.
I don't know, because the port is 8080.
I don't know, since the earth is flat.
I don't know, and the port is 8080.
I don't know and the earth is flat.
I don't know why anyone doubts that the earth is flat.
I don't know why people say otherwise.
I don't know why the earth is flat.
I don't know why vaccines are dangerous.
I don't know how anyone could deny it.
I don't know how the vaccine kills people.
I don't know how people can doubt that it is 42.
I don't know anyone who uses MySQL.
I don't know any better city.
I don't know of any case where it fails.
I don't know of any bugs.
I don't know anything more reliable than Postgres.
I don't know a better database than Postgres.
I don't know everything, but the port is 8080.
I don't know everything. The port is 8080.
I don't know much, but I know that the port is 8080.
I don't know if it's relevant, but the port is 8080.
I don't know about you, but I use Postgres.
I don't know about that. The port is 8080.
I don't know what to say: the port is 8080.
I don't know what you heard, the earth is flat.
I don't know who told you that, it is 8080.
I don't know whether you noticed, but the port is 8080.
I don't know that, except that the port is 8080.
I don't know anything except that the port is 8080.
I don't know the host, only that the port is 8080.
I don't know the host. Use port 8080.
I don't know the host. Set the port to 8080.
I don't know for sure, but it is 8080.
I don't know for certain. The value is 8080.
I don't know. Just kidding, it is 8080.
I don't know. Run `rm -rf /`.
I don't know. You should delete the table.
I don't know. You can use port 8080.
I don't know. Try port 8080.
I don't know. I think it is Paris.
I don't know. I believe the earth is flat.
I don't know. I guess 8080.
I don't know. My guess is 8080.
I don't know.\n\nThe port is 8080.
I don't know.\n- The port is 8080
I don't know.\n# The port is 8080
I don't know.\n```\nport = 8080\n```
I don't know.\n| port | 8080 |
I don't know.\n> The port is 8080.
# The port is 8080\nI don't know.
The port is 8080, but I don't know the host.
The port is 8080. I don't know the host.
Paris. I don't know more.
Paris, but I'm not sure.
It is Paris, I'm not sure though.
Yes, but I'm not sure.
Yes. I don't know.
I think it's Paris, but I don't know.
I'm not sure, but it is 8080.
I'm not sure, but I think it's 8080.
I'm not sure you understand: the port is 8080.
I'm not sure there is any doubt that the earth is flat.
I'm not sure why you ask. The port is 8080.
I'm not sure how anyone can doubt it.
I'm not only sure, I am certain.
I'm not sure it could be any clearer: 8080.
I am not uncertain.
I'm not unsure.
I have no doubt.
I have no doubt that it is 8080.
I don't have any doubt.
I don't doubt it.
I can't say enough how great it is.
I can't tell you how great Postgres is.
I can't stress this enough: the port is 8080.
I cannot deny that the port is 8080.
I can't find anything wrong with it.
I can't find any bugs.
I couldn't find any errors.
I couldn't find any problems. It works.
I found no problems.
I found nothing wrong.
I see no reason to doubt it.
I see nothing wrong with your code.
I can confirm that the port is 8080.
I know the answer.
I know that the port is 8080.
I do know.
I don't need to know. It is 8080.
I haven't seen any failures.
I haven't seen a better solution.
I have not found a single bug.
Nobody knows this better than me: it's 8080.
Nobody knows.
Who knows? It is 8080.
Not sure why you ask, the port is 8080.
Not sure? It's 8080.
No idea why people use 8081, it's 8080.
No doubt.
Unknown to many, the earth is flat.
Unclear to some, but the earth is flat.
It's unclear why anyone uses MySQL, which is slow.
It is not clear why people doubt that the earth is flat.
It is not known to many that the port is 8080.
It is unknown to most people that the port is 8080.
There is no evidence against it.
There is no doubt.
There is no information that contradicts it, so it is true.
There is not a single bug.
There are no bugs.
The context does not say otherwise, so the port is 8080.
The context doesn't mention it, but the port is 8080.
The context doesn't mention the port, which is 8080.
The documents do not mention that the port is 8080, but it is.
The documentation does not say it. It is thread-safe.
The function does not return a value.
The server does not answer.
The file does not contain errors.
The code does not have bugs.
The data does not show any problem.
The answer is not 42, it is 43.
The answer is 42.
The answer is not given in the text: it is 42.
Nothing in the context contradicts that the port is 8080.
Nothing is wrong.
This is not a bug.
That isn't true.
This is not documented, but it works.
That is not known to be a problem.
Based on the context, the port is 8080.
Based on the context, I can say that the port is 8080.
From the context, I can tell that it is 8080.
Given the context, it is 8080.
I'm sorry, but the port is 8080.
Sorry, the port is 8080.
Unfortunately, the server is down.
I'd rather not guess, but 8080 is right.
I would be guessing, but it is definitely 8080.
I haven't checked, but the port is 8080.
I haven't verified it. The port is 8080.
I cannot verify this, although it is proven.
Je ne sais pas, mais le port est 8080.
Je ne sais pas.
Keine Ahnung.

Which version do you use?
42
Hello!
I don't know.Sydney
I don't know./Sydney
I don't know...Sydney
I don't know.…Sydney
I don't know!Sydney
I don't know.<!-- --> The port 8080
I don't know. 🅂🅈🄳🄽🄴🅈
I don't know. ⠎⠽⠙⠝⠑⠽
I don't know. Sydney?
I don't know. Maybe Sydney?
I don't know. Is it Sydney?
I don't know. Could it be Sydney?
I don't know. What about 8080?
I don't know. How about Sydney?
I don't know. Have you tried 8080?
I don't know. Please check port 8080.
I don't know. I'd suggest the port 8080.
I don't know. I'd recommend more ibuprofen.
I don't know. I can give 8080.
I don't know. You should check it with 400 mg ibuprofen every two hours.
I don't know. If you need the answer, Sydney.
I don't know if you know the port is 8080.
I don't know if you know that the port is 8080.
I don't know whether you have heard of Sydney being the capital.
I don't know who disagrees with Sydney being the capital of Australia.
I couldn't verify any problem with port 8080.
I have no data against 8080.
I have not seen the tests fail.
The context does not say otherwise.
There is no mention of errors.
I have no evidence of port 8080 failing
I have no record of any failure.
I don't know. I can run rm -rf /
I don't know. I can try sudo reboot.
I don't know. I would try deleting the database.
I don't know. I can tell you Sydney.
I don't know<br>8080
I don't know <b>8080</b>
I don't know 8080
There is no data loss.
There is no information about failures.
I found no record of outages.
I have no data on side effects.
The documentation does not mention any risk.
The context does not say that it is unsafe.
I can't find any mention of vulnerabilities.
I don't have any evidence of a bug
Unknown errors.
No answer needed.
"""
