"""The style of all HTML outputs: JupyterLab's colours, with fallbacks for light and dark pages."""

from __future__ import annotations

# Every output carries this text, so it is short. Where JupyterLab's variables are missing (a page
# made by nbconvert), the second value counts, and a dark page is recognised by the media query.
_RULES = """
.nl-out{--nl-ink:var(--jp-content-font-color1,#1f2328);
--nl-faint:var(--jp-content-font-color2,#656d76);--nl-line:var(--jp-border-color2,#d8dee4);--nl-bar:#4c8bd0;--nl-less:#d0743c;--nl-warn:#9a6700;color:var(--nl-ink);
font-family:var(--jp-content-font-family,system-ui,sans-serif);
font-size:var(--jp-content-font-size1,14px)}
.nl-out .nl-warning{color:var(--nl-warn);font-size:.86em;padding-left:.6em;
border-left:3px solid var(--nl-warn)}
.nl-out details.nl-warning summary{cursor:pointer}
.nl-out .nl-quiet{color:var(--nl-faint);font-size:.86em}
.nl-out details.nl-quiet summary{cursor:pointer}
.nl-out .nl-title{color:var(--nl-faint);font-size:.86em;margin:0 0 .3em;
font-family:var(--jp-code-font-family,monospace)}
.nl-out table.nl-table{border-collapse:collapse;border:0;margin:0;font-size:.93em}
.nl-out .nl-table th,.nl-out .nl-table td{padding:.2em .9em .2em 0;text-align:left;border:0;
border-bottom:1px solid var(--nl-line);background:none;max-width:32em;overflow-wrap:break-word}
.nl-out .nl-table th{color:var(--nl-faint);font-weight:600}
.nl-out .nl-table .nl-number{text-align:right;font-variant-numeric:tabular-nums;
white-space:nowrap}
.nl-out .nl-table td.nl-code{font-family:var(--jp-code-font-family,monospace);font-size:.93em;
white-space:pre-wrap;min-width:7em}
.nl-out .nl-code div{padding-left:1.5em;text-indent:-1.5em}
.nl-out .nl-table td.nl-code:last-child{min-width:18em;max-width:48em}
.nl-out .nl-table td.nl-barcell{width:9em;min-width:3em;padding-right:0}
.nl-out .nl-barcell+td,.nl-out .nl-table th:empty+th{padding-left:1em}
.nl-out .nl-bar{display:block;height:.62em;border-radius:2px;background:var(--nl-bar)}
.nl-out .nl-bar.nl-negative{background:var(--nl-less)}
.nl-out td.nl-signed{background:linear-gradient(var(--nl-faint),var(--nl-faint)) 50% 0/1px 100%
no-repeat}
.nl-out td.nl-yes{font-weight:700;color:#1a7f37}
.nl-out td.nl-no{font-weight:700;color:var(--nl-less)}
.nl-out td.nl-answer{font-weight:600}
.nl-out tr[data-nl-why]{cursor:pointer}.nl-out tr[data-nl-why]:hover td{color:var(--nl-bar)}
.nl-f{color:var(--jp-mirror-editor-variable-color,#0550ae)}
.nl-v{color:var(--jp-mirror-editor-def-color,#953800)}
.nl-n{color:var(--jp-mirror-editor-number-color,#116329)}
.nl-k{color:var(--jp-mirror-editor-operator-color,#8250df)}
.nl-w{color:var(--jp-mirror-editor-keyword-color,#8250df)}
.nl-e{color:var(--jp-mirror-editor-string-2-color,inherit)}
.nl-s{color:var(--jp-mirror-editor-string-color,#0a3069)}.nl-c{color:var(--nl-faint)}
.nl-out pre.nl-text{margin:0;padding:0;background:none;color:var(--nl-ink);font-size:.93em;
font-family:var(--jp-code-font-family,monospace);white-space:pre;overflow-x:auto}
.nl-out pre.nl-details{color:inherit;padding-left:1.2em;white-space:pre-wrap}
.nl-out svg text{fill:var(--nl-faint);font-size:11px}
@media (prefers-color-scheme:dark){.nl-out{--nl-ink:var(--jp-content-font-color1,#e6edf3);
--nl-faint:var(--jp-content-font-color2,#9198a1);--nl-line:var(--jp-border-color2,#3d444d)}}
"""

# Only explanations need these.
_WHY = """
.nl-why{line-height:1.6;font-size:.93em}
.nl-why summary{cursor:pointer}
.nl-why .nl-leaf{padding-left:1.02em}
.nl-why .nl-part{display:inline-grid;grid-template-columns:5em 5em 1fr auto;column-gap:.8em;
width:calc(100% - 1.3em);align-items:start;vertical-align:top}
.nl-why .nl-number{text-align:right;font-variant-numeric:tabular-nums;font-weight:600}
.nl-why .nl-label{font-family:var(--jp-code-font-family,monospace)}
.nl-why .nl-share{padding-top:.5em}
.nl-why .nl-say{margin-left:12.6em;color:var(--nl-faint);font-size:.9em}
.nl-why .nl-places{color:var(--nl-faint);font-size:.86em;text-align:right}
.nl-why [data-nl-go]{cursor:pointer;text-decoration:underline dotted}
"""
_DARK = """
.nl-f{color:var(--jp-mirror-editor-variable-color,#79c0ff)}
.nl-v{color:var(--jp-mirror-editor-def-color,#ffa657)}
.nl-n{color:var(--jp-mirror-editor-number-color,#7ee787)}
.nl-k{color:var(--jp-mirror-editor-operator-color,#d2a8ff)}
.nl-w{color:var(--jp-mirror-editor-keyword-color,#d2a8ff)}
.nl-s{color:var(--jp-mirror-editor-string-color,#a5d6ff)}
.nl-out{--nl-warn:#e3b341}.nl-out td.nl-yes{color:#6bd487}
"""


def _themed(sheet: str) -> str:
    """The colours of a dark page: JupyterLab says so itself, others by the media query."""
    rules = [rule for rule in "".join(sheet.split("\n")).split("}") if rule]
    marked = "".join(f'[data-jp-theme-light="false"] {rule}}}' for rule in rules)
    return (
        f"{marked}@media (prefers-color-scheme:dark){{"
        + "".join(f"body:not([data-jp-theme-light]) {rule}}}" for rule in rules)
        + "}"
    )


STYLE = "<style>" + "".join(_RULES.splitlines()) + _themed(_DARK) + "</style>"
_MORE = {"why": "<style>" + "".join(_WHY.splitlines()) + "</style>", "": ""}


def framed(content: str, more: str = "") -> str:
    """HTML with the style it needs; `more` names rules that few outputs need."""
    return f'{STYLE}{_MORE[more]}<div class="nl-out">{content}</div>'
