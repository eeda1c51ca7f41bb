"""Runs a sample of the documents that comes on standard input.

Where an official client is not installed, a stand-in takes its place: as much of the client as the
samples use, by what its documentation says of its names, its addresses and its headers.
"""

import importlib.util
import json
import sys
from types import ModuleType, SimpleNamespace
from urllib.request import Request, urlopen


def ask(url, headers, body=None):
    """The JSON that a request is answered with; a refusal is thrown."""
    data = None if body is None else json.dumps(body).encode()
    request = Request(url, data, {**headers, "Content-Type": "application/json"})
    with urlopen(request) as response:
        return json.load(response, object_hook=lambda values: SimpleNamespace(**values))


class Exa:
    def __init__(self, api_key, base_url):
        self.base_url, self.headers = base_url, {"x-api-key": api_key}

    def search(self, query, num_results):
        body = {"query": query, "numResults": num_results}
        return ask(f"{self.base_url}/search", self.headers, body)


class Question:
    def __init__(self, instructions, criteria=None):
        self.instructions, self.criteria = instructions, criteria

    def body(self):
        fields = {"type": type(self).__name__.lower(), "instructions": self.instructions}
        return fields if self.criteria is None else {**fields, "criteria": self.criteria}


class Noul(Question):
    pass


class Choice(Question):
    pass


class TypeSafeClient:
    def __init__(self, *, api_key, base_url, model):
        self.url = f"{base_url.rstrip('/')}/v1/systemone"
        self.headers, self.model = {"Authorization": f"Bearer {api_key}"}, model

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def system_one(self, state, questions):
        asked = {name: question.body() for name, question in questions.items()}
        body = {"model": self.model, "state": state, "questions": asked}
        answers = vars(ask(self.url, self.headers, body).answers)
        of = lambda kind: {name: each for name, each in answers.items() if each.type == kind}
        return SimpleNamespace(nouls=of("noul"), choices=of("choice"))


class OpenAI:
    def __init__(self, api_key, base_url):
        headers = {"Authorization": f"Bearer {api_key}"}
        self.models = SimpleNamespace(list=lambda: ask(f"{base_url}/models", headers).data)


for name, names in {
    "exa_py": [Exa],
    "typesafe_sdk": [Choice, Noul, TypeSafeClient],
    "openai": [OpenAI],
}.items():
    if importlib.util.find_spec(name) is None:
        sys.modules[name] = ModuleType(name)
        vars(sys.modules[name]).update({each.__name__: each for each in names})

exec(compile(sys.stdin.read(), "sample", "exec"), {"__name__": "__main__"})
