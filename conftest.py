"""What pytest leaves out: adapters import their framework, which is not installed where doctests are collected."""

collect_ignore = [
    f"src/howsure/integrations/{name}.py"
    for name in ("haystack", "inspect_ai", "langchain", "llama_index", "mlflow", "openai_agents", "pydantic_ai")
]
