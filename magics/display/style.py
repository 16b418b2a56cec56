"""The style of all HTML outputs: JupyterLab's colours, with fallbacks for light and dark pages."""

from __future__ import annotations

# Every output carries this text, so it is short. Where JupyterLab's variables are missing (a page
# made by nbconvert), the second value counts, and a dark page is recognised by the media query.
_RULES = """
.nl-out{--nl-ink:var(--jp-content-font-color1,#1f2328);
--nl-faint:var(--jp-content-font-color2,#656d76);--nl-line:var(--jp-border-color2,#d8dee4);--nl-bar:#4c8bd0;--nl-less:#d0743c;color:var(--nl-ink);
font-family:var(--jp-content-font-family,system-ui,sans-serif);
font-size:var(--jp-content-font-size1,14px)}
.nl-out .nl-quiet{color:var(--nl-faint);font-size:.86em}
.nl-out details.nl-quiet summary{cursor:pointer}
.nl-out .nl-title{color:var(--nl-faint);font-size:.86em;margin:0 0 .3em;
font-family:var(--jp-code-font-family,monospace)}
.nl-out table.nl-table{border-collapse:collapse;border:0;margin:0;font-size:.93em}
.nl-out .nl-table th,.nl-out .nl-table td{padding:.2em .9em .2em 0;text-align:left;border:0;
border-bottom:1px solid var(--nl-line);background:none;white-space:nowrap;max-width:32em;
overflow:hidden;text-overflow:ellipsis}
.nl-out .nl-table th{color:var(--nl-faint);font-weight:600}
.nl-out .nl-table .nl-number{text-align:right;font-variant-numeric:tabular-nums}
.nl-out .nl-table .nl-code{font-family:var(--jp-code-font-family,monospace);font-size:.93em;
white-space:pre-wrap}
.nl-out .nl-table td.nl-barcell{width:9em;min-width:9em;padding-right:0}
.nl-out .nl-bar{display:block;height:.62em;border-radius:2px;background:var(--nl-bar)}
.nl-out .nl-bar.nl-negative{background:var(--nl-less)}
.nl-out pre.nl-text{margin:0;padding:0;background:none;color:var(--nl-ink);font-size:.93em;
font-family:var(--jp-code-font-family,monospace);white-space:pre;overflow-x:auto}
.nl-out pre.nl-details{color:inherit;padding-left:1.2em;white-space:pre-wrap}
.nl-out svg text{fill:var(--nl-faint);font-size:11px}
@media (prefers-color-scheme:dark){.nl-out{--nl-ink:var(--jp-content-font-color1,#e6edf3);
--nl-faint:var(--jp-content-font-color2,#9198a1);--nl-line:var(--jp-border-color2,#3d444d)}}
"""

STYLE = "<style>" + "".join(_RULES.splitlines()) + "</style>"


def framed(content: str) -> str:
    """HTML with the style it needs."""
    return f'{STYLE}<div class="nl-out">{content}</div>'
