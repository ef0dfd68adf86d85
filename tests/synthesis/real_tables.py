"""Schemas of three public tables, from their codebooks; the tables themselves are not part of the project.

Bounds are round numbers that rules or common sense allow, lists are those of the codebooks.
"""

from pathlib import Path

import pandas as pd

from quantail.schema import Column, Schema

DATA = Path(__file__).parents[3] / "shared" / "data"

REGIONS = (
    "Dolnoslaskie,Kujawsko-pomorskie,Lubelskie,Lubuskie,Lodzkie,Malopolskie,Mazowieckie,Opolskie,Podkarpackie,"
    "Podlaskie,Pomorskie,Slaskie,Swietokrzyskie,Warminsko-mazurskie,Wielkopolskie,Zachodnio-pomorskie"
)
YES_NO = ("NO", "YES")


def table(name):
    """Return a table of the shared folder, or None."""
    path = DATA / f"{name}.parquet"
    return pd.read_parquet(path) if path.exists() else None


def cps1988():
    """Predictors are declared: what is known to matter for wages, and nothing for the rest."""
    return Schema(
        (
            Column("ethnicity", "category", categories=("cauc", "afam")),
            Column("smsa", "category", categories=("no", "yes")),
            Column("region", "category", categories=("northeast", "midwest", "south", "west")),
            Column("parttime", "category", categories=("no", "yes")),
            Column("education", "integer", 0, 18, predictors=()),
            Column("experience", "integer", -5, 65, predictors=("education",)),
            Column(
                "wage",
                "numeric",
                1,
                20_000,
                grid="log",
                decimals=2,
                predictors=("region", "education", "experience"),
            ),
        ),
        unit="man",
        name="cps1988",
    )


def ppp(frame):
    """Categories of a public file: the lists are taken from it here, as an agency would from its codebook."""

    def labels(name):
        return tuple(sorted(str(label) for label in frame[name].dropna().unique()))

    def category(name):
        return Column(name, "category", categories=labels(name), missing=True)

    return Schema(
        (
            category("NonProfit"),
            category("CDRegion"),
            category("BusinessType"),
            category("Sector"),
            category("Gender"),
            category("Veteran"),
            category("RaceEthnicity"),
            Column("Date", "date", "2020-04-03", "2020-08-08"),
            category("County"),
            Column("Jobs", "integer", 0, 500, grid="log", atoms=(0,)),
            Column("Amount", "integer", 1, 10_000_000, grid="log", atoms=(20833, 20832)),
            Column("NAICS", "category", categories=labels("NAICS")),
        ),
        unit="loan",
        name="ppp",
    )


def sd2011(frame):
    def category(name, kind="category", **options):
        known = tuple(sorted(str(label) for label in frame[name].dropna().unique()))
        return Column(name, kind, categories=options.pop("labels", known), missing=True, **options)

    def yes_no(name):
        return Column(name, "category", categories=YES_NO, missing=True)

    def number(name, lower, upper, **options):
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
