"""Scripts by which shells complete the commands of `scoring`, their options and the values of options.

They are made of the declared arguments, those of installed packages included, so a script starts no process for a key.
What is no command, option or choice is completed as the name of a file.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TypeAlias

from scoring.api.commands import import_command, other_commands, own_commands
from scoring.cli.arguments import DECLARED
from scoring.diagnostics.visible import safe_line
from scoring.errors import InputError
from scoring.lazy_pattern import lazy_pattern

CompletionWords: TypeAlias = Mapping[str, Mapping[str, str]]
"""For each place on the command line the words that may stand there, with what they mean.

A place is ``""`` for the command, ``score -`` for the options of a command, ``score`` for its other words, and
``score --format`` for the values of an option.
"""

_PLAIN = lazy_pattern(r"[A-Za-z0-9_.+@/-]+")


def completion_script(shell: str) -> str:
    """Return the script by which a shell completes `scoring`.

    Args:
        shell: ``bash``, ``zsh``, ``fish`` or ``powershell``.

    Raises:
        InputError: when there is none for this shell.
        SpecError: when a package that provides commands can't be imported.

    Examples:
        >>> print(completion_script("fish").splitlines()[0])
        # Completes `scoring` in fish: scoring completion fish > ~/.config/fish/completions/scoring.fish
    """
    if shell not in SHELLS:
        raise InputError(f"there is no completion for {shell!r:.40}; there is one for {', '.join(SHELLS)}")
    how, write = SHELLS[shell]
    return f"# Completes `scoring` in {shell}: {how}\n{write(completion_words())}"


def completion_words() -> CompletionWords:
    """Return the words that can be completed, by their places.

    Examples:
        >>> completion_words()["score --format"]
        {'text': '', 'concise': '', 'json': '', 'github': ''}
    """
    commands = {**own_commands(), **other_commands()}
    words: dict[str, dict[str, str]] = {"": {name: about for name, (_, about) in commands.items()}}
    words[""] |= {"--help": "show the commands", "--version": "show the version"}
    for name, (place, _) in commands.items():
        import_command(place)
        parser = argparse.ArgumentParser(prog=f"scoring {name}", allow_abbrev=False)
        DECLARED[name].configure(parser)
        for one in (parser, *_kinds_below(words, name, parser)):
            _add_arguments(words, name, one)
    return {place: {word: about for word, about in of.items() if _PLAIN.fullmatch(word)} for place, of in words.items()}


def _kinds_below(
    words: dict[str, dict[str, str]], name: str, parser: argparse.ArgumentParser
) -> list[argparse.ArgumentParser]:
    """Add the kinds of a command that has several (`judge agreement`), and return their parsers."""
    found: list[argparse.ArgumentParser] = []
    for one in parser._actions:
        if isinstance(one, argparse._SubParsersAction):
            words[name] = {
                **dict.fromkeys(one.choices, ""),
                **{kind.dest: kind.help or "" for kind in one._choices_actions},
            }
            found += one.choices.values()
    return found


def _add_arguments(words: dict[str, dict[str, str]], name: str, parser: argparse.ArgumentParser) -> None:
    for one in parser._actions:
        if isinstance(one, argparse._SubParsersAction):
            continue
        about = "" if one.help in (None, argparse.SUPPRESS) else str(one.help) % {**vars(one), "prog": parser.prog}
        choices = {str(choice): "" for choice in one.choices or ()}
        for flag in one.option_strings:
            words.setdefault(f"{name} -", {})[flag] = about
            if choices:
                words[f"{name} {flag}"] = choices
        if choices and not one.option_strings:
            words.setdefault(name, {}).update(choices)


def _cases(words: CompletionWords, are: Callable[[str], bool], line: Callable[[str, Mapping[str, str]], str]) -> str:
    """Return a line for each place that `are` selects."""
    return "\n".join(line(place, of) for place, of in words.items() if of and are(place))


def _is_value(place: str) -> bool:
    """Return whether a place is that of the command, or of the value of an option."""
    return not place or (" " in place and not _is_option(place))


def _is_option(place: str) -> bool:
    return place.endswith(" -")


def _is_other(place: str) -> bool:
    return bool(place) and " " not in place


def _bash(words: CompletionWords) -> str:
    def listed(place: str, of: Mapping[str, str]) -> str:
        return f'            "{place}") words="{" ".join(of)}" ;;'

    return f"""\
_scoring() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" place="" words=""
    if [[ $COMP_CWORD -gt 1 ]]; then
        local at=$((COMP_CWORD - 1))
        if [[ $current == "=" ]]; then current=""; elif [[ ${{COMP_WORDS[at]}} == "=" ]]; then at=$((at - 1)); fi
        place="${{COMP_WORDS[1]}} ${{COMP_WORDS[at]}}"
    fi
    case "$place" in
{_cases(words, _is_value, listed)}
    esac
    if [[ -z $words ]]; then
        place="${{COMP_WORDS[1]}}"
        if [[ $current == -* ]]; then place="$place -"; fi
        case "$place" in
{_cases(words, lambda one: not _is_value(one), listed)}
        esac
    fi
    COMPREPLY=()
    if [[ -n $words ]]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"); fi
}}
complete -o default -F _scoring scoring
"""


def _zsh(words: CompletionWords) -> str:
    def described(place: str, of: Mapping[str, str]) -> str:
        shown = " ".join(_quoted(f"{word}:{about}" if about else word) for word, about in of.items())
        return f"        {_quoted(place)}) found=({shown}) ;;"

    return f"""\
#compdef scoring
_scoring() {{
    local -a found
    local place=""
    if (( CURRENT > 2 )); then place="$words[2] $words[CURRENT-1]"; fi
    case "$place" in
{_cases(words, _is_value, described)}
    esac
    if (( ! $#found )); then
        place="$words[2]"
        if [[ $words[CURRENT] == -* ]]; then place="$place -"; fi
        case "$place" in
{_cases(words, lambda one: not _is_value(one), described)}
        esac
    fi
    if [[ $words[CURRENT] == -* ]]; then
        _describe -o scoring found
    else
        if (( $#found )); then _describe scoring found; fi
        if (( CURRENT > 2 )); then _files; fi
    fi
}}
if [[ $funcstack[1] == _scoring ]]; then _scoring "$@"; else compdef _scoring scoring; fi
"""


def _fish(words: CompletionWords) -> str:
    lines = []
    for word, about in words[""].items():
        if word.startswith("--"):
            lines.append(f"complete -c scoring -n __fish_use_subcommand -l {word[2:]} -d {_quoted(about)}")
        else:
            lines.append(f"complete -c scoring -n __fish_use_subcommand -f -a {word} -d {_quoted(about)}")
    for place, of in words.items():
        name, _, option = place.partition(" ")
        seen = f"complete -c scoring -n '__fish_seen_subcommand_from {name}'"
        if option == "-":
            for flag, about in of.items():
                kind = "-l" if flag.startswith("--") else "-s"
                choices = words.get(f"{name} {flag}")
                values = f" -x -a {_quoted(' '.join(choices))}" if choices else ""
                lines.append(f"{seen} {kind} {flag.lstrip('-')}{values} -d {_quoted(about)}")
        elif name and not option:
            lines += [f"{seen} -a {word} -d {_quoted(about)}" for word, about in of.items()]
    return "\n".join(lines) + "\n"


def _powershell(words: CompletionWords) -> str:
    def listed(place: str, of: Mapping[str, str]) -> str:
        # The comma before the first keeps a list of one from being taken for what it lists.
        comma = "," if len(of) == 1 else ""
        return f"        '{place}' = @({comma}{', '.join(described(word, about) for word, about in of.items())})"

    def described(word: str, about: str) -> str:
        meant = _quoted(about or word, quote="''")
        return f"@('{word}', {meant})"

    return f"""\
Register-ArgumentCompleter -Native -CommandName scoring -ScriptBlock {{
    param($current, $ast, $position)
    $words = @{{
{_cases(words, lambda _: True, listed)}
    }}
    $given = @($ast.CommandElements | Where-Object {{ $_.Extent.EndOffset -lt $position }} | ForEach-Object {{ "$_" }})
    $place = ''
    if ($given.Count -gt 1) {{
        $place = "$($given[1]) $($given[-1])"
        if (-not $words.ContainsKey($place)) {{ $place = $given[1] + $(if ($current -like '-*') {{ ' -' }}) }}
    }}
    @($words[$place]) | Where-Object {{ $_ -and $_[0] -like "$current*" }} | ForEach-Object {{
        [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])
    }}
}}
"""


def _quoted(text: str, quote: str = "'\\''") -> str:
    """Return a text in single quotes for a shell, on one line; `quote` stands for a single quote in it."""
    return "'" + safe_line(text).replace("'", quote) + "'"


SHELLS: Mapping[str, tuple[str, Callable[[CompletionWords], str]]] = {
    "bash": ("source <(scoring completion bash)", _bash),
    "zsh": ("source <(scoring completion zsh)", _zsh),
    "fish": ("scoring completion fish > ~/.config/fish/completions/scoring.fish", _fish),
    "powershell": ("scoring completion powershell | Out-String | Invoke-Expression", _powershell),
}
"""The shells, with how a script is used, and what writes it."""
