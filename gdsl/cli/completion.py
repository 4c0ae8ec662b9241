"""`gdslc completion`, and the answers to a shell that requests completions."""

from __future__ import annotations

import os
import re

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, ShellComplete, ZshComplete

VARIABLE = "_GDSLC_COMPLETE"
"""The environment variable by which a shell's function requests completions, with the name of the shell."""

_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' asked=%(complete_var)s=bash_complete completion
    COMPREPLY=()
    while IFS= read -r completion || [[ -n $completion ]]; do
        [[ $completion == open,* ]] && compopt -o nospace
        COMPREPLY+=("${completion#*,}")
    done < <(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD $asked "$1")
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""
_ZSH = """\
#compdef %(prog_name)s

%(complete_func)s() {
    local -a done_plain done_told open_plain open_told response
    local type key descr asked=%(complete_var)s=zsh_complete
    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) $asked $words[1])}")
    for type key descr in ${response}; do
        case "$type,$descr" in
            open,_) open_plain+=("$key") ;;
            open,*) open_told+=("$key:$descr") ;;
            *,_) done_plain+=("$key") ;;
            *) done_told+=("$key:$descr") ;;
        esac
    done
    (( $#done_told )) && _describe -V unsorted done_told -U
    (( $#open_told )) && _describe -V unsorted open_told -U -S ''
    (( $#done_plain )) && compadd -U -V unsorted -a done_plain
    (( $#open_plain )) && compadd -U -V unsorted -S '' -a open_plain
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""
_FISH = """\
function %(complete_func)s
    for completion in (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp) COMP_CWORD=(commandline -t) \
            %(prog_name)s)
        set -l told (string split -m 1 "," $completion)
        printf '%%s\\n' $told[2]
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""
_BREAKS = re.compile(r"[=:@]+")
_SIGNS = re.compile(r"[^\w@%+=:,./-]")
"""Signs that have a meaning in Bash."""
_ESCAPED = r"\\\g<0>"
_HOME = re.compile(r"~[\w.-]*(?=/)")
_HINTS = {
    "bash": 'put into ~/.bashrc:  eval "$(gdslc completion bash)"',
    "zsh": 'put into ~/.zshrc, after compinit:  eval "$(gdslc completion zsh)"',
    "fish": "write once:  gdslc completion fish > ~/.config/fish/completions/gdslc.fish",
}


class _Bash(BashComplete):
    """Bash splits words at `=` and `:`, and replaces only the last piece."""

    source_template = _BASH
    _known = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        before, word = super().get_completion_args()
        words = _joined([*before, word])
        word = words.pop()
        self._known = word[: max((match.end() for match in _BREAKS.finditer(word)), default=0)]
        return words, word

    def format_completion(self, item: CompletionItem) -> str:
        value = str(item.value).removeprefix(self._known)
        home = _HOME.match(value) if not self._known else None
        begin = home.end() if home is not None else 0
        return f"{item.type},{value[:begin]}{_SIGNS.sub(_ESCAPED, value[begin:])}"


class _Zsh(ZshComplete):
    source_template = _ZSH

    def format_completion(self, item: CompletionItem) -> str:
        value = str(item.value)
        description = " ".join((item.help or "_").split())
        return f"{item.type}\n{value if description == '_' else value.replace(':', chr(92) + ':')}\n{description}"


class _Fish(FishComplete):
    """In click's own script, a comma ends a word and its description. Fish itself leaves out the blank after a `/` or a
    `=`."""

    source_template = _FISH

    def format_completion(self, item: CompletionItem) -> str:
        return super().format_completion(
            CompletionItem(item.value, "plain", " ".join((item.help or "").split()) or None)
        )


_SHELLS: dict[str, type[ShellComplete]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


@click.command(name="completion", short_help="Print the script for completion in a shell.")
@click.argument("shell", metavar="SHELL", type=click.Choice(list(_SHELLS)))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the script that makes SHELL (bash, zsh or fish) complete programs, graphs, params, knobs and codes.

    \b
    Examples:
      eval "$(gdslc completion bash)"
      gdslc completion fish > ~/.config/fish/completions/gdslc.fish
    """
    click.echo(f"# Completion of gdslc; to have it in every shell, {_HINTS[shell]}")
    click.echo(ShellComplete.source(_completer(shell, context.find_root().command)))


def answer(instruction: str, gdslc: click.Command) -> int:
    """Print the completions for `instruction` (``bash_complete``) of a shell's function; nothing if anything is wrong,
    as it would be printed in the middle of the user's line. Returns the exit status."""
    shell = instruction.partition("_")[0]
    try:
        text = _completer(shell, gdslc).complete()
        os.write(1, text.encode("utf-8", "surrogateescape"))
    except Exception:
        return 1
    return 0


def _completer(shell: str, gdslc: click.Command) -> ShellComplete:
    return _SHELLS[shell](gdslc, {}, "gdslc", VARIABLE)


def _joined(pieces: list[str]) -> list[str]:
    """Join the words that Bash has split; a piece of separators belongs to both its neighbors."""
    words: list[str] = []
    goes_on = False
    for piece in pieces:
        is_break = _BREAKS.fullmatch(piece) is not None
        if words and (goes_on or is_break):
            words[-1] += piece
        else:
            words.append(piece)
        goes_on = is_break
    return words
