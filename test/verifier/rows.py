"""Rows of a journal: their text, their hash, and what kind of damage is in one."""
import hashlib
import json
import sqlite3
from decimal import Decimal


class Damage(Exception):
    def __init__(self, seq, kind, what):
        super().__init__(f"damaged at row {seq}: {kind}: {what}")
        self.seq, self.kind = seq, kind


def digits(number):
    if abs(number) <= 2**53:
        return str(number).encode()
    return str(int(Decimal(repr(float(number))))).encode()


def unpack(body, words, seq, at_ns, wall_ms):
    """The row's text, or None where the bytes name what is not there."""
    own = {1: digits(seq), 2: digits(at_ns), 3: digits(wall_ms)}
    out, i = bytearray(), 0
    while i < len(body):
        byte = body[i]
        i += 1
        if byte >= 0x20:
            out.append(byte)
        elif byte in own:
            out += own[byte]
        else:
            code = byte - 4
            if byte >= 0x18:
                low = body[i] if i < len(body) else 255
                i += 1
                code = 20 + (byte - 0x18) * 128 + low if low < 128 else -1
            if code not in words:
                return None
            out += words[code]
    return bytes(out)


def row_hash(prev, row, words, seq=None):
    text = unpack(row[4], words, row[0] if seq is None else seq, row[1], row[2])
    return None if text is None else hashlib.sha256(prev.hex().encode() + text).digest()


ROWS = "SELECT seq, at_ns, wall_ms, hash, body FROM step "


def page_trouble(db):
    try:
        lines = [line[0] for line in db.execute("PRAGMA quick_check(3)")]
        return None if lines == ["ok"] else "; ".join(lines)
    except sqlite3.DatabaseError as error:
        return str(error)


def seq_in_text(row, words, seq):
    text = unpack(row[4], words, seq, row[1], row[2])
    try:
        return json.loads(text)["observation"]["seq"]
    except (TypeError, ValueError, KeyError):
        return None


def kind_of(db, row, prev, words):
    """What kind of damage makes this row not follow from `prev`."""
    trouble = page_trouble(db)
    if trouble:
        return "torn page", trouble
    seq = row[0]
    near = db.execute(ROWS + "WHERE seq > ? AND seq <= ? ORDER BY seq", (seq - 24, seq + 24))
    near = near.fetchall()
    befores = [prev] + [other[3] for other in near]
    for other in near:
        if any(row_hash(before, row, words, other[0]) == row[3] for before in befores):
            place = seq_in_text(row, words, other[0])
            if place != seq:
                return "reordered", f"here lies what was written as row {place}"
            break
    behind = next((other for other in near if other[0] == seq + 1), None)
    if behind:
        if row_hash(row[3], behind, words) == behind[3]:
            if (seq_in_text(row, words, seq) or seq) > seq:
                return "missing row", "rows were taken out before it and the rest renumbered"
        elif any(
            row_hash(row[3], behind, words, behind[0] + n) == behind[3] for n in range(1, 9)
        ):
            return "missing row", "rows were taken out before it and the rest renumbered"
    if bytes(16) in row[4] or bytes(16) in row[3]:
        return "torn page", "a stretch of zero bytes lies in the row"
    computed = row_hash(prev, row, words)
    if behind and computed and row_hash(computed, behind, words) == behind[3]:
        return "changed hash", "its text is whole"
    return "changed byte", "its text or its times do not give its hash"
