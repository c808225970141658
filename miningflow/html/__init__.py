"""What results look like in a notebook: plain data in, HTML out; no script, and no request.

elements.py   elements, which escape every text and attribute, and have no others than listed
tables.py     tables, folded if they are long
charts.py     lines over numbers, as SVG
style.py      the look, light and dark
page.py       parts of a result under a heading, with the look
"""

from miningflow.html.elements import Content, Element, element
from miningflow.html.page import page, section
from miningflow.html.tables import number, table

__all__ = ["Content", "Element", "element", "number", "page", "section", "table"]
