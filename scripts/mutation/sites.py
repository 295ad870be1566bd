"""scripts/mutation/sites.py: the places of a C file that a mutant can change, found with libclang.

A site is a piece of text of one file and its replacement in a mutant. Mutated: comparisons, sums, differences, products
and quotients, integers (plus and minus one), conditions (negated, && and || exchanged), assignments and calls (removed).

Excluded, because tests of results cannot detect it: expansions of macros, initialisers of static data, sizes of arrays,
case labels, static assertions, headers of loops under an OpenMP directive (their form is fixed), sizes of allocations
(checked by the sanitizers), calls that only free, lock, report progress or write a message, and the initialiser {0}
(in C23 {}: its 0 is no number of the program, and a mutant would change an arbitrary member, the first one).
"""

import re

from clang.cindex import CursorKind, Diagnostic, Index, StorageClass, TranslationUnit, TypeKind

from .mutants import Site

# Declares the checking macros as functions, so that their arguments keep their positions in the source.
ERROR_HEADER = """
#ifndef BASE_ERROR_H
#define BASE_ERROR_H
#include "volterra/status.h"
volt_status volt_fail(volt_status status, const char *format, ...);
volt_status volt_fail_prefix(volt_status status, const char *format, ...);
void VOLT_TRY(volt_status call);
void VOLT_REQUIRE(_Bool condition, volt_status status, ...);
#endif
"""

EXCHANGED = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "&&": ["||"], "||": ["&&"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="],
}

# Calls without effect on results, recognised by name. They are neither removed nor changed inside.
NO_RESULT = re.compile(
    r"^(volt_fail|volt_fail_prefix|volt_log|complain|report|fprintf|va_start|va_end|setvbuf|fflush|fsync|madvise|nanosleep)$|"
    r"(^|_)(free|release|close|dlclose|fclose|destroy|lock|unlock|warn|warning|say|refuse|stage|assert|omp|pthread)(_|$)"
)
ALLOCATES = re.compile(r"(^|_)(alloc|malloc|calloc|realloc|memalign|grow|reserve|strdup|aligned)(_|$)")

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def plain(text):
    """One line, without comments."""
    return " ".join(COMMENT.sub(" ", text).split())


class Finder:
    def __init__(self, path, name, arguments, error_header):
        self.name = name
        with open(path, "rb") as file:
            self.source = file.read()
        unit = Index.create().parse(path, args=arguments, unsaved_files=[(error_header, ERROR_HEADER)],
                                    options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        # libclang may reject words in the compiler's headers; only a missing header is fatal.
        fatal = [d.spelling for d in unit.diagnostics if d.severity == Diagnostic.Fatal]
        if fatal:
            raise ValueError(f"{name}: {fatal[0]}")
        self.unit = unit
        self.path = path
        self.macros = [self.span(c) for c in unit.cursor.get_children()
                       if c.kind == CursorKind.MACRO_INSTANTIATION and self.is_here(c)]
        self.directives = self.directive_spans()
        self.sites = []

    # ---- text -----------------------------------------------------------------------------------
    def is_here(self, cursor):
        file = cursor.location.file
        return file is not None and file.name == self.path

    @staticmethod
    def span(cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def text(self, begin, end):
        return self.source[begin:end].decode()

    def directive_spans(self):
        """The lines that begin with #, with their continuation lines."""
        return [m.span() for m in re.finditer(rb"^[ \t]*#(?:[^\\\n]|\\\n|\\.)*", self.source, re.M)]

    def is_under_openmp(self, begin):
        """Does the statement at `begin` follow a directive of OpenMP?"""
        above = self.source[:begin].rstrip()
        for first, last in self.directives:
            if last == len(above):
                return b"omp" in self.source[first:last]
        return False

    def is_text(self, begin, end):
        """Written there as it is compiled: neither part of a macro's expansion nor of a directive."""
        if begin >= end:
            return False
        inside = any(b <= begin and end <= e and (b, e) != (begin, end) for b, e in self.macros)
        whole = any((b, e) == (begin, end) for b, e in self.macros)
        cut = any(b < begin < e < end or begin < b < end < e for b, e in self.macros)
        crossed = any(b < end and begin < e for b, e in self.directives)
        return not (inside or whole or cut or crossed)

    def add(self, function, begin, end, after):
        if self.is_text(begin, end):
            line = self.source.count(b"\n", 0, begin) + 1
            self.sites.append(Site(self.name, function, line, begin, end, plain(self.text(begin, end)), plain(after)))

    # ---- expressions ----------------------------------------------------------------------------
    def operator_of(self, left, right):
        return plain(self.text(left.extent.end.offset, right.extent.start.offset))

    @staticmethod
    def is_pointer(cursor):
        return cursor.type.get_canonical().kind in (TypeKind.POINTER, TypeKind.CONSTANTARRAY, TypeKind.VARIABLEARRAY,
                                                    TypeKind.INCOMPLETEARRAY)

    def exchange(self, function, cursor):
        operands = list(cursor.get_children())
        if len(operands) != 2:
            return
        left, right = operands
        found = self.operator_of(left, right)
        if found in ("+", "-") and (self.is_pointer(right) or b"NULL" in self.source[slice(*self.span(cursor))]):
            return
        begin, end = self.span(cursor)
        if left.extent.start.offset != begin or right.extent.end.offset != end:
            return
        for other in EXCHANGED.get(found, []):
            if other in ("<=", ">=", "<", ">") and self.is_pointer(left):
                continue
            self.add(function, begin, end, f"{self.operand(left)} {other} {self.operand(right)}")

    def operand(self, cursor):
        """Its text, in brackets where the exchanged operator might bind more tightly."""
        text = self.text(*self.span(cursor))
        return f"({text})" if cursor.kind in (CursorKind.BINARY_OPERATOR, CursorKind.CONDITIONAL_OPERATOR) else text

    def shift(self, function, cursor):
        text = self.text(*self.span(cursor))
        if re.fullmatch(r"(0x[0-9a-fA-F]+|[0-9]+)[uUlL]*", text):
            for other in (f"{text} + 1", f"{text} - 1"):
                self.add(function, *self.span(cursor), f"({other})")

    def negate(self, function, condition):
        begin, end = self.span(condition)
        self.add(function, begin, end, f"!({self.text(begin, end)})")

    # ---- statements -----------------------------------------------------------------------------
    def is_assignment(self, cursor):
        if cursor.kind == CursorKind.COMPOUND_ASSIGNMENT_OPERATOR:
            return True
        operands = list(cursor.get_children())
        return cursor.kind == CursorKind.BINARY_OPERATOR and len(operands) == 2 and self.operator_of(*operands) == "="

    def leave_out(self, function, statement):
        """The statement with its semicolon, unless a directive claims it."""
        begin, end = self.span(statement)
        after = re.match(rb"\s*;", self.source[end:])
        is_call = statement.kind == CursorKind.CALL_EXPR and not NO_RESULT.search(statement.spelling or "")
        is_wanted = is_call or self.is_assignment(statement)
        if after and is_wanted and self.is_text(begin, end) and not self.is_under_openmp(begin):
            self.add(function, begin, end + after.end(), "")

    # ---- the walk -------------------------------------------------------------------------------
    def walk(self, function, cursor):
        kind = cursor.kind
        children = list(cursor.get_children())
        if kind == CursorKind.CALL_EXPR:
            name = cursor.spelling or ""
            if NO_RESULT.search(name) or ALLOCATES.search(name):
                return
            if name == "VOLT_REQUIRE":  # what follows the condition is the message
                self.walk_all(function, children[1:2])
                return
        elif kind in (CursorKind.CASE_STMT,):
            children = children[1:]
        elif kind == CursorKind.VAR_DECL:
            if cursor.storage_class == StorageClass.STATIC:
                return
            if self.is_pointer(cursor) and cursor.type.kind != TypeKind.POINTER:  # the size is among the children
                children = [c for c in children if c.kind == CursorKind.INIT_LIST_EXPR]
        elif kind in (CursorKind.CXX_UNARY_EXPR, CursorKind.ENUM_DECL, CursorKind.STRUCT_DECL, CursorKind.TYPE_REF,
                      CursorKind.STATIC_ASSERT):
            return
        elif kind == CursorKind.INIT_LIST_EXPR and plain(self.text(*self.span(cursor))) == "{0}":
            return
        elif kind == CursorKind.FOR_STMT and self.is_under_openmp(cursor.extent.start.offset):
            children = children[-1:]
        elif kind == CursorKind.WHILE_STMT and children[0].kind == CursorKind.INTEGER_LITERAL:
            children = children[1:]

        if kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR):
            self.exchange(function, cursor)
        elif kind == CursorKind.INTEGER_LITERAL:
            self.shift(function, cursor)
        elif kind in (CursorKind.IF_STMT, CursorKind.CONDITIONAL_OPERATOR):
            self.negate(function, children[0])
        if kind == CursorKind.COMPOUND_STMT:
            for child in children:
                self.leave_out(function, child)
        elif kind == CursorKind.FOR_STMT:
            self.leave_out(function, children[-1])
        elif kind in (CursorKind.IF_STMT, CursorKind.WHILE_STMT):
            for child in children[1:]:
                self.leave_out(function, child)
        self.walk_all(function, children)

    def walk_all(self, function, cursors):
        for cursor in cursors:
            self.walk(function, cursor)

    def find(self):
        for cursor in self.unit.cursor.get_children():
            if cursor.kind == CursorKind.FUNCTION_DECL and cursor.is_definition() and self.is_here(cursor):
                bodies = [c for c in cursor.get_children() if c.kind == CursorKind.COMPOUND_STMT]
                self.walk_all(cursor.spelling, bodies)
        unique = {(s.begin, s.end, s.after): s for s in self.sites}
        return list(unique.values())


def sites_of(path, name, arguments, error_header):
    """All sites of the file at `path`, which messages call `name`; ValueError where it does not parse."""
    return Finder(path, name, arguments, error_header).find()
