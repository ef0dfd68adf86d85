"""Schemas of four public tables, from their codebooks; the tables themselves are not part of the project.

Bounds are round numbers that rules or common sense allow. Lists are those of the codebooks, taken from the files here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from quantail.schema import Column, Schema

DATA = Path(__file__).parents[2] / "shared" / "data"

REGIONS = (
    "Dolnoslaskie,Kujawsko-pomorskie,Lubelskie,Lubuskie,Lodzkie,Malopolskie,Mazowieckie,Opolskie,Podkarpackie,"
    "Podlaskie,Pomorskie,Slaskie,Swietokrzyskie,Warminsko-mazurskie,Wielkopolskie,Zachodnio-pomorskie"
)
YES_NO = ("NO", "YES")
DOLLAR_OF_1988 = 0.8424  # 1988 over 1992, by the deflator that the file's wages were divided by


def read(name: str, folder: Path = DATA) -> pd.DataFrame | None:
    """Return a table of the folder, or None."""
    path = folder / f"{name}.parquet"
    return pd.read_parquet(path) if path.exists() else None


def cps1988(frame: pd.DataFrame) -> Schema:
    """Wages in dollars of 1992, paid in round figures of 1988: what a dollar was worth then is public."""
    return Schema(
        (
            Column("ethnicity", "category", categories=("cauc", "afam")),
            Column("smsa", "category", categories=("no", "yes")),
            Column("region", "category", categories=("northeast", "midwest", "south", "west")),
            Column("parttime", "category", categories=("no", "yes")),
            Column("education", "integer", 0, 18),
            Column("experience", "integer", -5, 65),
            Column(
                "wage",
                "numeric",
                1,
                20_000,
                grid="log",
                decimals=2,
                heaps=tuple(figure / DOLLAR_OF_1988 for figure in (100, 50, 25, 10, 5)),
            ),
        ),
        unit="man",
        name="cps1988",
    )


def ppp_georgia_2020(frame: pd.DataFrame) -> Schema:
    """Loans: long lists of labels within shorter ones, missing values, a date, spikes at amounts that rules favour."""

    def labels(name: str) -> tuple[str, ...]:
        return tuple(sorted(str(label) for label in frame[name].dropna().unique()))

    def category(name: str, **options: Any) -> Column:
        return Column(name, "category", categories=labels(name), missing=True, **options)

    def parents(name: str, parent: str, digits: int) -> dict[str, Any]:
        """Say what labels that begin alike belong to: the most frequent label of the coarser column."""
        begins = {label: label[:digits] for label in labels(name)}
        usual = frame.groupby(frame[name].astype(str).str[:digits])[parent].agg(lambda x: [*x.mode(), ""][0])
        return {"within": parent, "parents": tuple(str(usual[begin]) for begin in begins.values())}

    return Schema(
        (
            category("NonProfit"),
            category("CDRegion"),
            category("BusinessType"),
            category("Sector"),
            category("Gender"),
            category("Veteran"),
            category("RaceEthnicity"),
            Column("Date", "date", "2020-04-03", "2020-08-08", storage="string"),
            category("County", **parents("County", "CDRegion", 100)),
            Column("Jobs", "integer", 0, 500, grid="log", atoms=(0,)),
            Column("Amount", "integer", 1, 10_000_000, grid="log", atoms=(20833, 20832)),
            Column(
                "NAICS",
                "category",
                categories=labels("NAICS"),
                storage="int64",
                **parents("NAICS", "Sector", 2),
            ),
        ),
        unit="loan",
        name="ppp",
    )


def sd2011(frame: pd.DataFrame) -> Schema:
    """Survey of 35 columns of all kinds, with missing values, codes and spikes."""

    def category(name: str, kind: Any = "category", **options: Any) -> Column:
        known = tuple(sorted(str(label) for label in frame[name].dropna().unique()))
        return Column(name, kind, categories=options.pop("labels", known), missing=True, **options)

    def yes_no(name: str) -> Column:
        return Column(name, "category", categories=YES_NO, missing=True)

    def number(name: str, lower: float, upper: float, **options: Any) -> Column:
        return Column(name, "integer", lower, upper, missing=True, **options)

    return Schema(
        (
            Column("sex", "category", categories=("FEMALE", "MALE")),
            Column("age", "numeric", 16, 100, decimals=0),
            category("agegr", "ordinal"),
            category("placesize"),
            Column("region", "category", categories=tuple(REGIONS.split(",")), other=True),
            category("edu", "ordinal"),
            category("eduspec"),
            category("socprof"),
            number("unempdur", 0, 60, missing_codes=(-8,), atoms=(0, 24)),
            number("income", 0, 20_000, grid="log", missing_codes=(-8,)),
            category("marital"),
            number("mmarr", 1, 12),
            number("ymarr", 1930, 2011),
            number("msepdiv", 1, 12),
            number("ysepdiv", 1930, 2011),
            category("ls", "ordinal"),
            number("depress", 0, 21, atoms=(0,)),
            category("trust"),
            category("trustfam"),
            category("trustneigh"),
            yes_no("sport"),
            number("nofriend", 0, 99, missing_codes=(-8,)),
            yes_no("smoke"),
            number("nociga", 0, 60, missing_codes=(-8,), atoms=(10, 20)),
            yes_no("alcabuse"),
            yes_no("alcsol"),
            yes_no("workab"),
            category("wkabdur", labels=("-8", *map(str, range(61))), other=True),
            category("wkabint"),
            category("wkabintdur"),
            category("emcc"),
            category("englang"),
            number("height", 100, 220),
            number("weight", 30, 200),
            Column("bmi", "numeric", 10, 100, resolution=0.1, missing=True),
        ),
        unit="person",
        name="sd2011",
    )


def diamonds(frame: pd.DataFrame) -> Schema:
    """Stones whose sizes, weight and price are nearly one number, with popular weights: a light-tailed control."""

    def category(name: str) -> Column:
        return Column(
            name, "category", categories=tuple(sorted(str(label) for label in frame[name].unique()))
        )

    return Schema(
        (
            Column("carat", "numeric", 0.1, 10, grid="log", decimals=2),
            category("cut"),
            category("color"),
            category("clarity"),
            Column("depth", "numeric", 40, 80, decimals=1),
            Column("table", "numeric", 40, 100, decimals=1),
            Column("price", "integer", 100, 50_000, grid="log"),
            Column("x", "numeric", 0, 20, decimals=2),
            Column("y", "numeric", 0, 60, decimals=2),
            Column("z", "numeric", 0, 40, decimals=2),
        ),
        unit="diamond",
        name="diamonds",
    )


SCHEMAS = {
    "cps1988": cps1988,
    "ppp_georgia_2020": ppp_georgia_2020,
    "sd2011": sd2011,
    "diamonds": diamonds,
}
