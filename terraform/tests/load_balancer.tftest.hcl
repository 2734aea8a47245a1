# The load balancer in front of the api, with Cloud Armor.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

variables {
  api_public    = true
  load_balancer = { domain = "rag.example.com" }
}

run "there_is_no_load_balancer_by_default" {
  command = plan

  variables {
    load_balancer = null
  }

  assert {
    condition     = length(module.load_balancer) == 0 && output.endpoint == module.function["api"].uri && output.load_balancer_address == ""
    error_message = "Somebody pays for a load balancer that nobody asked for."
  }

  assert {
    condition     = !contains(keys(module.function["api"].promises.environment), "RAGBASE_TRUSTED_PROXIES")
    error_message = "Without a load balancer, clients could choose their addresses."
  }
}

run "nobody_goes_around_the_load_balancer" {
  command = plan

  assert {
    condition     = { for name, function in module.function : name => function.promises.ingress if function.promises.ingress != "ALLOW_INTERNAL_ONLY" } == { api = "ALLOW_INTERNAL_AND_GCLB" }
    error_message = "The run.app address answers the internet, so that Cloud Armor can be gone around."
  }
}

run "the_domain_leads_to_the_api" {
  command = plan

  assert {
    condition     = module.load_balancer[0].promises.kind == "SERVERLESS" && module.load_balancer[0].promises.group == module.function["api"].service && module.load_balancer[0].promises.leads_to && module.load_balancer[0].promises.ports["443"] == "https"
    error_message = "The load balancer leads to another service than the api."
  }

  assert {
    condition     = output.endpoint == "https://rag.example.com" && strcontains(output.how_to_upload_and_ask, "curl -s https://rag.example.com/api/query") && output.load_balancer_address == module.load_balancer[0].address
    error_message = "The outputs name an address that does not answer."
  }
}

run "the_domain_has_a_certificate_and_modern_tls" {
  command = plan

  assert {
    condition     = module.load_balancer[0].promises.domains == tolist(["rag.example.com"]) && module.load_balancer[0].promises.uses_policy && module.load_balancer[0].promises.least_tls == "TLS_1_2"
    error_message = "The domain has no certificate, or old TLS is taken."
  }
}

run "nothing_is_answered_without_tls" {
  command = plan

  assert {
    condition     = module.load_balancer[0].promises.ports["80"] == "http" && module.load_balancer[0].promises.plain_target && module.load_balancer[0].promises.plain.https_redirect && module.load_balancer[0].promises.plain.redirect_response_code == "PERMANENT_REDIRECT" && !module.load_balancer[0].promises.plain.strip_query
    error_message = "A request without TLS is answered, or loses its method or its query."
  }
}

run "cloud_armor_stands_in_front_of_the_api" {
  command = plan

  assert {
    condition     = module.load_balancer[0].promises.guard && toset(keys(module.load_balancer[0].promises.rules)) == toset(["1000", "1100", "1200", "2000", "2147483647"])
    error_message = "The policy is not in force, or has other rules."
  }
}

run "one_address_asks_only_so_often" {
  command = plan

  variables {
    load_balancer = { domain = "rag.example.com", requests_per_minute = 120 }
  }

  assert {
    condition     = module.load_balancer[0].promises.rules["2000"].action == "throttle" && one(module.load_balancer[0].promises.rules["2000"].match[0].config[0].src_ip_ranges) == "*"
    error_message = "There are requests that nothing counts."
  }

  assert {
    condition     = alltrue([for limit in module.load_balancer[0].promises.rules["2000"].rate_limit_options : limit.enforce_on_key == "IP" && limit.exceed_action == "deny(429)" && limit.conform_action == "allow" && limit.rate_limit_threshold[0].count == 120 && limit.rate_limit_threshold[0].interval_sec == 60])
    error_message = "An address may send another number of requests a minute, or shares its limit with others."
  }
}

run "a_body_that_is_too_large_is_refused_at_the_edge" {
  command = plan

  assert {
    condition     = alltrue([for priority in ["1000", "1100", "1200"] : module.load_balancer[0].promises.rules[priority].action == "deny(403)"])
    error_message = "A body that is too large reaches an instance."
  }

  assert {
    condition     = endswith(module.load_balancer[0].promises.rules["1000"].match[0].expr[0].expression, "int(request.headers['content-length']) > 33554432") && strcontains(module.load_balancer[0].promises.rules["1100"].match[0].expr[0].expression, "int(request.headers['content-length']) > 655360 && !request.path.matches(") && strcontains(module.load_balancer[0].promises.rules["1200"].match[0].expr[0].expression, "int(request.headers['content-length']) > 65536 && !request.path.matches(")
    error_message = "The limits of a body are other ones."
  }

  assert {
    condition     = alltrue([for priority in ["1000", "1100", "1200"] : startswith(module.load_balancer[0].promises.rules[priority].match[0].expr[0].expression, "has(request.headers['content-length']) && ")])
    error_message = "A request without a body has no content-length, and the condition would fail on it."
  }
}

run "the_client_is_found_behind_the_load_balancer" {
  command = plan

  assert {
    condition     = module.function["api"].promises.environment["RAGBASE_TRUSTED_PROXIES"] == "2"
    error_message = "All clients count as one address: that of the load balancer."
  }

  assert {
    condition     = module.function["api"].promises.environment["RAGBASE_PUBLIC_URL"] == "https://rag.example.com"
    error_message = "The API names its clients an address that does not answer them."
  }
}

run "the_address_of_the_load_balancer_is_not_set_twice" {
  command = plan

  variables { settings = { public_url = "https://other.example.com" } }

  expect_failures = [var.settings]
}

run "the_number_of_proxies_is_not_set_twice" {
  command = plan

  variables { settings = { trusted_proxies = "3" } }

  expect_failures = [var.settings]
}

run "the_check_from_outside_comes_through_the_load_balancer" {
  command = plan

  variables {
    functions = { api = { min_instances = 1 } }
  }

  assert {
    condition     = google_monitoring_uptime_check_config.api[0].monitored_resource[0].labels["host"] == "rag.example.com"
    error_message = "The check asks an address that answers nobody, and there is an alert for ever."
  }
}

run "a_public_api_is_not_behind_identity_aware_proxy" {
  command = plan

  assert {
    condition     = length(module.load_balancer[0].promises.iap) == 0 && length(module.load_balancer[0].promises.iap_members) == 0
    error_message = "A public api asks everybody for a Google account."
  }
}

run "only_members_come_through_identity_aware_proxy" {
  command = plan

  variables {
    api_public    = false
    load_balancer = { domain = "rag.example.com", iap_members = ["group:readers@example.com"] }
    functions     = { api = { min_instances = 1 } }
  }

  assert {
    condition     = module.load_balancer[0].promises.iap == [true] && module.load_balancer[0].promises.iap_members == { "group:readers@example.com" = "roles/iap.httpsResourceAccessor" }
    error_message = "The proxy lets others in, or does not ask."
  }

  assert {
    condition     = values(google_cloud_run_v2_service_iam_member.api)[*].member == ["serviceAccount:service-123456789012@gcp-sa-iap.iam.gserviceaccount.com"]
    error_message = "The proxy may not call the api, or somebody may call it without the proxy."
  }

  assert {
    condition     = strcontains(output.how_to_upload_and_ask, "\"Proxy-Authorization: Bearer $IAP_TOKEN\"") && !strcontains(output.how_to_upload_and_ask, "gcloud auth")
    error_message = "The example has a token that the proxy does not take."
  }

  assert {
    condition     = google_monitoring_uptime_check_config.api[0].monitored_resource[0].labels["host"] == trimprefix(module.function["api"].uri, "https://")
    error_message = "The check asks the proxy, which lets it not through, and there is an alert for ever."
  }
}

run "a_load_balancer_that_lets_nobody_through_is_refused" {
  command = plan

  variables {
    api_public = false
  }

  expect_failures = [var.load_balancer]
}

run "identity_aware_proxy_in_front_of_a_public_api_is_refused" {
  command = plan

  variables {
    load_balancer = { domain = "rag.example.com", iap_members = ["group:readers@example.com"] }
  }

  expect_failures = [var.load_balancer]
}

run "all_users_behind_identity_aware_proxy_are_refused" {
  command = plan

  variables {
    api_public    = false
    load_balancer = { domain = "rag.example.com", iap_members = ["allUsers"] }
  }

  expect_failures = [var.load_balancer]
}

run "an_address_in_place_of_a_domain_is_refused" {
  command = plan

  variables {
    load_balancer = { domain = "https://rag.example.com" }
  }

  expect_failures = [var.load_balancer]
}

run "half_a_request_a_minute_is_refused" {
  command = plan

  variables {
    load_balancer = { domain = "rag.example.com", requests_per_minute = 0.5 }
  }

  expect_failures = [var.load_balancer]
}
