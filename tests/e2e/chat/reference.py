"""Renders as Hugging Face's transformers does: jinja2 with its environment, filters and functions."""

import json
from datetime import datetime

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment


class GenerationTag(jinja2.ext.Extension):
    """{% generation %} marks what the model wrote; as text it is its body."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    @staticmethod
    def _body(caller):
        return caller()


def _raise(message):
    raise jinja2.exceptions.TemplateError(message)


def _tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment(now):
    """now: Unix seconds that strftime_now shows."""
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, jinja2.ext.loopcontrols])
    env.filters["tojson"] = _tojson
    env.globals["raise_exception"] = _raise
    env.globals["strftime_now"] = lambda form: datetime.fromtimestamp(now).strftime(form)
    return env


class Template:
    def __init__(self, source, now):
        self.error = None
        try:
            self.template = environment(now).from_string(source)
        except jinja2.TemplateError as error:
            self.error = error

    def render(self, context):
        """The text, or an exception of whatever kind the template makes Python raise."""
        if self.error is not None:
            return self.error
        try:
            return self.template.render(**json.loads(json.dumps(context)))
        except Exception as error:  # pylint: disable=broad-except
            return error
