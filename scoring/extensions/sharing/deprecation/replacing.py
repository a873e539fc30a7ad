"""The expression that replaces a call of a deprecated definition, in the names of the file that contains the call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.compiler.programs.scope import Scope
from scoring.extensions.sharing.with_pipelines import with_pipelines
from scoring.format.definitions import NO_DEFAULT, Definition
from scoring.lang.limits import LENGTH
from scoring.lang.printer import value_text
from scoring.lang.tree import Call, FormulaText, Literal, Path, Pipeline, Value, as_pipeline, value_from_data, walk


class Unwritable(Exception):
    """The error that a replacement of a deprecated call can't be written in the file; its message is the reason."""


class Replacing(Struct, frozen=True):
    """A rewriter of the expression that a pack names as the replacement of a deprecated definition, so that it can be
    written in a file that imports the pack.

    Args:
        definition: The deprecated definition.
        own: The scope of the pack: the names that its file can use.
        alias: The name of the pack in the importing file.
        scope: The scope of the importing file, including the parameters of the definition that contains the call.
        arguments: The arguments of the call by parameter.
        has_params: Whether the deprecated definition's parameters can occur; false while a default is rewritten.
    """

    definition: Definition
    own: Scope
    alias: str
    scope: Scope
    arguments: Mapping[str, Value]
    has_params: bool = True

    @classmethod
    def of(cls, call: Call, definition: Definition, own: Scope, scope: Scope) -> Replacing:
        """Return the rewriter for one call of a deprecated definition.

        Args:
            call: The call in the importing file.
            definition: The deprecated definition.
            own: The scope of the pack that defines it.
            scope: The scope of the importing file at the call.

        Raises:
            Unwritable: when the call's arguments do not fit the definition.
        """
        names = [param.name for param in definition.params]
        if len(call.args) > len(names):
            raise Unwritable("it has too many arguments")
        arguments = {**dict(zip(names, call.args, strict=False)), **dict(call.kwargs)}
        if len(arguments) < len(call.args) + len(call.kwargs) or not arguments.keys() <= set(names):
            raise Unwritable("its arguments are not those of the definition")
        return cls(definition, own, call.name.rpartition(".")[0], scope, arguments)

    def pipeline(self) -> Pipeline:
        """Return the expression to write in place of the call.

        Raises:
            Unwritable: when there is no such expression in the importing file.
        """
        assert self.definition.deprecated is not None
        instead = self.definition.deprecated.instead
        uses = sum(isinstance(node, Call) and self._param(node) is not None for node in walk(instead))
        if uses * sum(len(value_text(value)) for value in self.arguments.values()) > LENGTH:
            raise Unwritable("it would be too long")
        found = as_pipeline(self._value(instead))
        if not isinstance(found, Pipeline):
            raise Unwritable("an argument takes the place of an expression")
        return found

    def _value(self, value: Value) -> Value:
        formulas = (node for node in walk(value) if isinstance(node, FormulaText))
        if any(isinstance(name, Call) for formula in formulas for name in formula.names):
            raise Unwritable("a formula names something of the pack")
        return with_pipelines(value, self._pipeline, self._path)

    def _path(self, path: Path) -> Path:
        if path.root == "values":
            raise Unwritable(f"it reads `values.{path.segments[0]}` of the pack")
        return path

    def _pipeline(self, pipeline: Pipeline) -> Value:
        if pipeline.is_word and self._param(pipeline.steps[0]) is not None:
            return self._argument(pipeline.steps[0].name)
        steps: list[Call] = []
        head = self._path(pipeline.head) if isinstance(pipeline.head, Path) else pipeline.head
        for call in pipeline.steps:
            if self._param(call) is None:
                steps.append(self._call(call))
                continue
            spliced = as_pipeline(self._argument(call.name))
            if not isinstance(spliced, Pipeline) or (spliced.head is not None and (steps or head is not None)):
                raise Unwritable(f"`{call.name}` can't stand in the middle of an expression")
            head = head or spliced.head
            steps += spliced.steps
        return Pipeline(tuple(steps), None, head)

    def _param(self, call: Call) -> str | None:
        names = [param.name for param in self.definition.params] if self.has_params and call.is_alone else []
        return call.name if call.name in names else None

    def _argument(self, name: str) -> Value:
        """Return the argument that the call gives to a parameter of the deprecated definition, else the parameter's
        default.

        Args:
            name: The name of the parameter.
        """
        if name in self.arguments:
            return self.arguments[name]
        param = next(one for one in self.definition.params if one.name == name)
        if param.pipeline is not None:
            return replace(self, has_params=False)._value(param.pipeline)
        if param.takes_pipeline or param.default is NO_DEFAULT:
            raise Unwritable(f"it does not say what `{name}` is")
        return value_from_data(param.default)

    def _call(self, call: Call) -> Call:
        name, defaults = self._name(call.name)
        args = tuple(map(self._value, call.args))
        kwargs = tuple(
            (key, self._value(value)) for key, value in call.kwargs if not self._is_default(key, value, defaults)
        )
        return Call(name, args, kwargs)

    def _is_default(self, key: str, value: Value, defaults: Mapping[str, Any]) -> bool:
        """Return True if an argument in the replacement can be left out: it only passes on a parameter that the call
        does not set and whose default is that of the setting.

        Args:
            key: The name of the setting to which the argument belongs.
            value: The argument.
            defaults: The defaults of the settings of the called step.
        """
        if not isinstance(value, Pipeline) or not value.is_word or key not in defaults:
            return False
        name = value.steps[0].name
        params = {param.name: param for param in self.definition.params if not param.takes_pipeline}
        if name in self.arguments or name not in params or params[name].default is NO_DEFAULT:
            return False
        return Literal(repr(params[name].default)) == Literal(repr(defaults[key]))

    def _name(self, name: str) -> tuple[str, Mapping[str, Any]]:
        """Return the name by which the importing file can call a definition or primitive that the pack uses, and the
        defaults of its parameters.

        Args:
            name: The name in the pack.
        """
        found = self.own.definition(name)
        if found is None:
            if self.scope.definition(name) is not None or name in self.scope.params:
                raise Unwritable(f"`{name}` is something else in this file")
            primitive = self.own.primitive(name, metric=self.definition.role == "metric")
            if primitive is None:
                raise Unwritable(f"nothing is called `{name}`")
            return name, {param.name: param.default for param in primitive.params if not param.required}
        alias, dot, rest = name.partition(".")
        here = f"{self.alias}.{name}"
        if dot:
            pack = self.own.imports[alias]
            aliases = [known for known, one in self.scope.imports.items() if one.key == pack.key]
            if not aliases:
                raise Unwritable(f"it needs an import of `{pack.label}`")
            here = f"{aliases[0]}.{rest}"
        return here, {param.name: param.default for param in found[0].params if param.default is not NO_DEFAULT}


def replaced(tree: Pipeline, call: Call, by: Pipeline) -> Pipeline | None:
    """Return an expression in which one of its calls is replaced by another expression; None if it does not contain the
    call.

    Args:
        tree: The expression.
        call: The call, recognised by its location.
        by: The expression that replaces it.

    Raises:
        Unwritable: when the new pipeline begins with a value, but would not be at the start of the expression.
    """
    found = False

    def pipeline(tree: Pipeline) -> Pipeline:
        nonlocal found
        steps: list[Call] = []
        head = tree.head
        for step in tree.steps:
            if step.span != call.span or step.name != call.name:
                args = tuple(with_pipelines(value, pipeline) for value in step.args)
                steps.append(
                    Call(step.name, args, tuple((name, with_pipelines(one, pipeline)) for name, one in step.kwargs))
                )
                continue
            if by.head is not None and (steps or head is not None):
                raise Unwritable("it begins with a value")
            found, head = True, head or by.head
            steps += by.steps
        return Pipeline(tuple(steps), None, head)

    written = pipeline(tree)
    return written if found else None
