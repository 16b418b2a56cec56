"""Pictures of rules, networks, types and numbers: as data, as SVG, as files, and alive."""
