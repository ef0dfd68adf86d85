"""The studio: a local web page for the whole path, from a table to a released copy of it.

It listens on this machine only, asks no network for anything, and works in one folder. What it does is what the command
line does, by the same functions; everything that takes time or spends budget runs in a process of its own, so that
neither a closed tab nor a killed server loses it. Confidential values are shown nowhere but in the internal report.

It needs the extra `quantail[studio]`.
"""
