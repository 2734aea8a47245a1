"""The page that shows the API to people: no script, nothing from elsewhere."""

from __future__ import annotations

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ragbase API</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  section { border-top: 1px solid #8888; margin-top: 1.5rem; }
  h2 { font-size: 1.1rem; }
  code, pre { font-family: ui-monospace, monospace; font-size: .9rem; }
  pre { overflow-x: auto; padding: .75rem; border: 1px solid #8886; border-radius: .3rem; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8883; }
  nav ul { columns: 2; list-style: none; padding: 0; }
</style>
</head>
<body>
<h1>ragbase API</h1>
<p>{{ about }} <a href="openapi.json">openapi.json</a> describes it for programs.
{% for server in description.servers %}All paths are below <code>{{ server.url }}</code>.{% endfor %}</p>
<nav aria-label="Operations"><ul>
{% for one in operations %}<li><a href="#{{ one.id }}"><code>{{ one.method }} {{ one.path }}</code></a></li>
{% endfor %}</ul></nav>
<main>
{% for one in operations %}
{% set described = description.paths[one.path][one.method.lower()] %}
<section id="{{ one.id }}">
<h2><code>{{ one.method }} {{ one.path }}</code></h2>
<p>{{ one.summary }}
{% if one.needs_caller %}Needs <code>Authorization: Bearer TOKEN</code>{% if one.scope %} with the scope
{{ one.scope.value }}{% if one.is_of_extractor %} or extract{% endif %}{% endif %}.{% endif %}</p>
{% if described.parameters %}
<table><caption>Parameters</caption>
<tr><th>name</th><th>in</th><th>what to send</th></tr>
{% for parameter in described.parameters %}<tr><td><code>{{ parameter.name }}</code></td><td>{{ parameter.in }}</td>
<td>{{ parameter.description }}</td></tr>
{% endfor %}</table>
{% endif %}
{% if described.requestBody %}
{% for type, content in described.requestBody.content.items() %}
<details><summary>Body: <code>{{ type }}</code></summary><pre>{{ dumps(content.schema) }}</pre></details>
{% endfor %}
{% endif %}
<table><caption>Answers</caption>
<tr><th>status</th><th>when</th></tr>
{% for status, answer in described.responses.items() %}<tr><td><code>{{ status }}</code></td>
<td>{{ answer.description }}</td></tr>
{% endfor %}</table>
</section>
{% endfor %}
<section id="schemas"><h2>Schemas</h2>
{% for name, schema in description.components.schemas.items() %}
<details id="schema-{{ name }}"><summary><code>{{ name }}</code></summary><pre>{{ dumps(schema) }}</pre></details>
{% endfor %}
</section>
</main>
</body>
</html>
"""
