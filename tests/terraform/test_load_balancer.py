"""The load balancer of prod and the api agree: on what the edge may refuse, and on who the client is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ragbase.config import load_config
from ragbase.interfaces.api.body_limits import body_limit
from ragbase.interfaces.api.operations import OPERATIONS
from tests.functions.guarded import PASSWORD, api, hash_of
from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import Environment, environment, of_type, services

pytestmark = pytest.mark.prove

PUBLIC = {"api_public": True, "load_balancer": {"domain": "rag.example.com"}}
BEHIND = Job(environment, ("prod", json.dumps(PUBLIC)), seconds=10)
ROUTES = [
    (
        one.method,
        one.path.replace("{id}", "abc")
        .replace("{page}", "1")
        .replace("{store}", "ragbase")
        .replace("{letter}", "none")
        .replace("{key}", "none")
        .replace("{token}", "a-token"),
    )
    for one in OPERATIONS
]


def refused(policy: Any, path: str, length: int) -> bool:
    """What the rules about bodies say of a request of this length, in the few words of their language that they use."""
    for rule in policy["rule"]:
        for expr in rule["match"][0]["expr"]:
            larger = re.search(r"int\(request\.headers\['content-length'\]\) > (\d+)", expr["expression"])
            but = re.search(r"!request\.path\.matches\('([^']+)'\)$", expr["expression"])
            assert larger
            if length > int(larger[1]) and not (but and re.search(but[1], path)):
                return True
    return False


@looks_at(BEHIND)
def test_the_edge_refuses_no_body_that_the_api_takes(result: Environment) -> None:
    (policy,) = of_type(result.resources, "google_compute_security_policy")
    cloud_run = 32 * 1024 * 1024
    for method, path in ROUTES:
        most = min(body_limit(method, path).most, cloud_run)
        assert not refused(policy, path, most), path


@looks_at(BEHIND)
def test_the_edge_refuses_a_large_body_where_the_api_takes_only_small_ones(result: Environment) -> None:
    (policy,) = of_type(result.resources, "google_compute_security_policy")
    files = {path for method, path in ROUTES if body_limit(method, path).most > body_limit("POST", "/api/query").most}
    assert files == {"/api/documents", "/api/uploads/a-token", "/internal/callback"}
    most: dict[str, int] = {}
    for method, path in ROUTES:
        most[path] = max(most.get(path, 0), body_limit(method, path).most)
    for path, length in most.items():
        assert refused(policy, path, 33 * 1024 * 1024), path
        tried = body_limit("POST", "/api/query").most if path in files else length
        assert refused(policy, path, tried + 1) is (path not in files), path


@looks_at(BEHIND)
def test_the_limits_of_the_api_count_the_client_and_not_the_load_balancer(result: Environment, tmp_path: Path) -> None:
    """The header is as Google documents it: what the client wrote, the client, the load balancer."""
    variables = services(result.resources)["api"]["environment_variables"]
    proxies = load_config(home=tmp_path, environment=variables).trusted_proxies
    with api(tmp_path, password_hash=hash_of(), trusted_proxies=proxies) as client:

        def attempt(written: str, password: str = "wrong") -> int:
            body, headers = {"password": password}, {"X-Forwarded-For": written}
            return client.post("/api/auth/login", json=body, headers=headers).status_code

        assert [attempt("192.0.2.1, 203.0.113.80") for _ in range(5)] == [401] * 5
        assert attempt("192.0.2.1, 203.0.113.80", PASSWORD) == 429
        assert attempt("198.51.100.7, 192.0.2.1, 203.0.113.80", PASSWORD) == 429
        assert attempt("192.0.2.2, 203.0.113.80", PASSWORD) == 200


@looks_at(BEHIND)
def test_prod_with_a_load_balancer_stays_as_it_is(result: Environment) -> None:
    assert not result.valid.returncode, result.valid.stderr
    assert result.second_plan.returncode == 0, result.second_plan.stdout + result.second_plan.stderr
