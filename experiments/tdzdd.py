"""TdZdd on the problems of `experiments.frontier`: a program in C++, compiled once, which reads a graph's edges."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["run"]

PROGRAM = r"""
#include <ctime>
#include <iostream>
#include <fstream>
#include <tdzdd/DdStructure.hpp>
#include <tdzdd/spec/DegreeConstraint.hpp>
#include <tdzdd/spec/FrontierBasedSearch.hpp>
#include <tdzdd/spec/PathZdd.hpp>
using namespace tdzdd;
long size() {  // the largest so far; getrusage would begin with the size of the process that started this one
    std::ifstream status("/proc/self/status");
    std::string word;
    long kibibytes = 0;
    while (status >> word && word != "VmHWM:") {}
    status >> kibibytes;
    return kibibytes;
}
int main() {
    std::string problem, u, v, source, target;
    std::cin >> problem >> source >> target;
    Graph graph;
    while (std::cin >> u >> v) graph.addEdge(u, v);
    graph.update();
    if (problem == "paths") { graph.setColor(source, 1); graph.setColor(target, 1); graph.update(); }
    long before = size();
    std::clock_t start = std::clock();
    DdStructure<2> dd;
    if (problem == "paths") dd = DdStructure<2>(PathZdd(graph));
    else if (problem == "cycles") dd = DdStructure<2>(CycleZdd(graph));
    else if (problem == "Hamiltonian") dd = DdStructure<2>(HamiltonCycleZdd(graph));
    else if (problem == "forests") dd = DdStructure<2>(FrontierBasedSearch(graph, -1, true, false));
    else if (problem == "trees") {
        for (int x = 1; x <= graph.vertexSize(); ++x) graph.setColor(graph.vertexName(x), 1);
        graph.update();
        dd = DdStructure<2>(FrontierBasedSearch(graph, 0, true, false));
    } else {
        DegreeConstraint degrees(graph);
        IntRange one(1, 1), two(0, 2, 2);
        for (int x = 1; x <= graph.vertexSize(); ++x) degrees.setConstraint(x, problem == "matchings" ? &one : &two);
        dd = DdStructure<2>(degrees);
    }
    std::size_t states = dd.size();
    dd.zddReduce();
    double used = double(std::clock() - start) / CLOCKS_PER_SEC;
    double grown = (size() - before) / 1024.0;
    std::cout << used << " " << states << " " << grown << " " << dd.zddCardinality() << std::endl;
}
"""


def run(
    compiler: str, headers: str, problem: str, ends: tuple[Any, Any], edges: Iterable[tuple[Any, Any]]
) -> tuple[float, int, float, str]:
    """Return the seconds of processor time, the states, the MiB that it grew by, and the number of solutions.

    Raises
    ------
    MemoryError
        If there is none left.
    """
    text = "\n".join([f"{problem} {ends[0]} {ends[1]}", *(f"{u} {v}" for u, v in edges)])
    ended = subprocess.run([_compiled(compiler, headers)], input=text, text=True, capture_output=True)
    if ended.returncode == -signal.SIGABRT:
        raise MemoryError("a C++ program ends so when there is none left")
    used, states, grown, count = ended.stdout.split()
    return float(used), int(states), float(grown), count


def _compiled(compiler: str, headers: str) -> Path:
    """The program, compiled once for all runs."""
    key = zlib.crc32(f"{compiler} {headers} {PROGRAM}".encode())
    program = Path(tempfile.gettempdir(), f"frontier-tdzdd-{os.getuid()}-{key:08x}")
    if not program.exists():
        with tempfile.TemporaryDirectory(dir=program.parent) as folder:
            source, made = Path(folder, "run.cpp"), Path(folder, "run")
            source.write_text(PROGRAM)
            command = [compiler, "-O3", "-DNDEBUG", "-w", "-I", headers, str(source), "-o", str(made)]
            subprocess.run(command, check=True)
            made.replace(program)
    return program
