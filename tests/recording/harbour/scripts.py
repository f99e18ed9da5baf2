"""Programs the agent writes during the story, as it writes them."""

FORMAT_TARIFF = '''"""Format the tariff's price columns; values stay as they are."""
import csv

SOURCE, TARGET = "tariffs/tariff-2026.csv", "tariffs/tariff-2026.formatted.csv"

def shown(value):
    return f"{float(value):,.2f}"

with open(SOURCE, encoding="utf-8") as source, open(TARGET, "w", encoding="utf-8", newline="") as target:
    rows = csv.reader(source)
    out = csv.writer(target)
    out.writerow(next(rows))
    count = 0
    for row in rows:
        out.writerow(row[:3] + [shown(value) for value in row[3:]])
        count += 1
print(f"{count} rows formatted")
'''

SHOWN_BEFORE = """def shown(value):
    return f"{float(value):,.2f}"
"""

SHOWN_AFTER = """def shown(value):
    try:
        return f"{float(value):,.2f}"
    except ValueError:
        return value  # "n/a" is a value too: it stays
"""

COMPARE = (
    "python3 - <<'PY'\n"
    "import csv\n"
    "a = list(csv.reader(open('tariffs/tariff-2026.csv', encoding='utf-8')))[1:]\n"
    "b = list(csv.reader(open('tariffs/tariff-2026.formatted.csv', encoding='utf-8')))[1:]\n"
    "def value(v): return v if v == 'n/a' else float(v.replace(',', ''))\n"
    "changed = sum(value(x) != value(y) for p, q in zip(a, b) for x, y in zip(p[3:], q[3:]))\n"
    "print(f'{len(b)} rows compared, {changed} values changed')\n"
    "PY"
)

RECONCILE = '''"""November's container moves against the bookings."""
import csv
import json

known = set(open("bookings/november.txt", encoding="utf-8").read().split())
seen, differences = {}, []
with open("movements/2026-11.csv", encoding="utf-8") as source:
    for row in csv.DictReader(source):
        if row["booking"] not in known:
            differences.append({"move": row["move_id"], "what": "unknown booking", "value": row["booking"]})
        if int(row["weight_kg"]) == 0:
            differences.append({"move": row["move_id"], "what": "no weight", "value": row["container"]})
        key = (row["container"], row["moved_at"])
        if key in seen:
            differences.append({"move": row["move_id"], "what": "entered twice", "value": seen[key]})
        seen.setdefault(key, row["move_id"])
print(json.dumps({"moves": len(seen), "differences": differences}, indent=1))
'''
