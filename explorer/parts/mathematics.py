"""Mathematics in untrusted Markdown: where it is, and whether it may be rendered."""

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

LONGEST_FORMULA, DEEPEST, MOST_LINES = 2_000, 20, 60


_ENVIRONMENTS = {"aligned", "align*", "array", "cases", "gathered", "matrix", "bmatrix", "pmatrix", "vmatrix"}
_COMMANDS = """
    alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho
    varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon
    Phi Psi Omega ell hbar imath jmath Re Im aleph partial nabla infty emptyset varnothing angle degree
    frac dfrac tfrac cfrac binom dbinom tbinom sqrt sum prod coprod int iint iiint oint bigcup bigcap bigvee
    bigwedge bigoplus bigotimes lim limsup liminf max min sup inf arg argmax argmin det dim exp gcd hom ker
    ln log lg deg Pr sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth mod bmod pmod
    operatorname limits nolimits substack overset underset stackrel
    cdot cdots ldots dots dotsb dotsc vdots ddots times div pm mp ast star circ bullet oplus ominus otimes
    odot wedge vee cap cup setminus land lor lnot neg
    le leq leqslant ge geq geqslant lt gt ne neq approx equiv sim simeq cong propto ll gg prec succ preceq
    succeq subset subseteq supset supseteq in notin ni mid nmid parallel perp vdash models
    to gets mapsto leftarrow rightarrow leftrightarrow Leftarrow Rightarrow Leftrightarrow longrightarrow
    Longrightarrow implies iff uparrow downarrow hookrightarrow rightharpoonup xrightarrow xleftarrow
    forall exists nexists therefore because top bot square triangle checkmark prime
    left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr langle rangle lfloor rfloor lceil
    rceil lvert rvert lVert rVert vert Vert lbrace rbrace lbrack rbrack backslash colon
    hat widehat bar vec dot ddot tilde widetilde check acute grave breve overline underline overbrace
    underbrace overrightarrow boxed cancel bcancel
    text textbf textit textrm texttt mathrm mathbf mathit mathsf mathtt mathbb mathcal mathfrak mathscr
    boldsymbol bm pmb displaystyle textstyle quad qquad
    begin end hline
    """
_ALLOWED = frozenset(re.findall("[A-Za-z]+", _COMMANDS))
_SIGNS = set(",;:!{}|\\ %&#_")
_CLOSING = {"$$": "$$", "$": "$", "\\(": "\\)"}
_COMMAND = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL)
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*(?:\{([^{}]*)\})?")
_TEXT = re.compile(r"\\(?:text|textbf|textit|textrm|texttt|mathrm|operatorname)\s*\{[^{}]*\}")
_PROSE = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,},? +[A-Za-z]{3,}(?![A-Za-z])")


def formula_of(content: str, *, prose: bool = False) -> str | None:
    """Return the formula on one line; None if it is no formula or contains anything not allowed.

    With `prose`, two adjacent words make it prose between two dollar signs.
    """
    formula = " ".join(content.split())
    if not formula or len(formula) > LONGEST_FORMULA or not formula.isprintable() or set(formula) & set("`$"):
        return None
    if re.search(r"\]\(|@|www\.", formula, re.IGNORECASE):  # in case a Markdown reader misses the formula
        return None
    if prose and _PROSE.search(_TEXT.sub("", formula)):
        return None
    allowed = all(name in _ALLOWED or name in _SIGNS for name in _COMMAND.findall(formula))
    spaced_rows = re.search(r"\\\\\s*\*?\s*\[", formula)
    closed = allowed and not spaced_rows and _balanced(formula) and _environments_close(formula)
    spaced = re.sub(r"[<:](?=\S)", r"\g<0> ", formula)  # no tag, no directive; spaces have no meaning here
    return spaced if closed and not formula.endswith("\\") else None


def _balanced(formula: str) -> bool:
    depth = 0
    for sign in re.sub(r"\\.", "", formula):
        depth += (sign == "{") - (sign == "}")
        if not 0 <= depth <= DEEPEST:
            return False
    return depth == 0


def _environments_close(formula: str) -> bool:
    names: list[str] = []
    for word, name in _ENVIRONMENT.findall(formula):
        if name not in _ENVIRONMENTS:
            return False
        if word == "begin":
            names.append(name)
        elif not names or names.pop() != name:
            return False
    return not names


def read_inline(state: StateInline, silent: bool) -> bool:
    r"""Read `$...$`, `$$...$$` or `\(...\)`; an inline rule of the parser.

    A single dollar sign opens only before a non-space, and closes only after a non-space and not before a
    digit, so that sums of money stay text.
    """
    opening = next((mark for mark in _CLOSING if state.src.startswith(mark, state.pos)), None)
    if opening is None:
        return False
    closing = _CLOSING[opening]
    start = state.pos + len(opening)
    end = state.src.find(closing, start, min(start + LONGEST_FORMULA, state.posMax))
    content, after = state.src[start:end], state.src[end + len(closing) : end + len(closing) + 1]
    if end < 0 or not content.strip() or state.src[start - 2 : start] == "\\$":
        return False
    if opening == "$" and (content != content.strip() or after.isdigit()):
        return False
    if not silent:
        token = state.push("math", "", 0)
        token.content, token.markup = content, opening
        token.meta = {"written": f"{opening}{content}{closing}"}
    state.pos = end + len(closing)
    return True


def read_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    r"""Read `$$ ... $$` or `\[ ... \]` on lines of their own; a block rule of the parser."""
    first = _line(state, start)
    opening = first[:2]
    if opening not in ("$$", "\\[") or state.is_code_block(start):
        return False
    closing = {"$$": "$$", "\\[": "\\]"}[opening]
    lines = []
    for line in range(start, min(end, start + MOST_LINES)):
        text = first[2:] if line == start else _line(state, line)
        if line > start and (not text.strip() or state.sCount[line] < state.blkIndent):
            return False
        before, closed, after = text.partition(closing)
        lines.append(before)
        if closed:
            break
    else:
        return False
    if after.strip(" .,;") or not "".join(lines).strip():
        return False
    if not silent:
        token = state.push("math_block", "", 0)
        token.content, token.map = "\n".join(lines), [start, line + 1]
    state.line = line + 1
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
