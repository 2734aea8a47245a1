# The services of models: keys, rights and settings of each.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

run "with_vertex_ai_no_vendor_has_a_key_and_no_secret_is_asked_for" {
  command = plan

  variables {
    settings = { embedder = "vertex", generator = "vertex", chat_model = "gemini-3.5-flash-lite" }
  }

  assert {
    condition     = toset(keys(google_secret_manager_secret.this)) == toset(["password", "weaviate"]) && keys(output.secrets) == ["weaviate"]
    error_message = "A secret of a vendor is made or asked for."
  }

  assert {
    condition     = alltrue([for function in values(module.function) : length(setsubtract(keys(function.promises.secrets), ["WEAVIATE_API_KEY"])) == 0])
    error_message = "A function needs a key of a vendor."
  }

  assert {
    condition     = { for name, grant in google_project_iam_member.vertex : name => "${grant.role} ${grant.member}" } == { for name in ["fast_lane", "heavy_lane", "api"] : name => "roles/aiplatform.user serviceAccount:${google_service_account.function[name].email}" }
    error_message = "A function that embeds may not ask Vertex AI, or one that does not may."
  }

  assert {
    condition     = google_project_service.vertex[0].service == "aiplatform.googleapis.com" && !google_project_service.vertex[0].disable_on_destroy
    error_message = "The API of Vertex AI is not enabled."
  }

  assert {
    condition     = { for name, function in module.function : name => function.promises.environment["RAGBASE_VERTEX_LOCATION"] if contains(keys(function.promises.environment), "RAGBASE_VERTEX_LOCATION") } == { for name in ["fast_lane", "heavy_lane", "api"] : name => "europe-west1" }
    error_message = "Texts are not embedded in the region of everything else."
  }
}

run "only_the_api_asks_a_model_that_writes" {
  command = plan

  variables {
    settings = { generator = "vertex", chat_model = "gemini-3.5-flash-lite", vertex_location = "europe-west4" }
  }

  assert {
    condition     = keys(google_project_iam_member.vertex) == ["api"] && module.function["api"].promises.environment["RAGBASE_VERTEX_LOCATION"] == "europe-west4"
    error_message = "Another function may ask Vertex AI, or the api asks elsewhere."
  }
}

run "a_vendor_that_only_writes_has_its_key_in_the_api_alone" {
  command = plan

  variables {
    settings = { embedder = "vertex", generator = "anthropic", chat_model = "claude-haiku-4-5", reranker = "cohere" }
  }

  assert {
    condition     = { for name, function in module.function : name => toset(keys(function.promises.secrets)) if contains(["api", "fast_lane"], name) } == { api = toset(["ANTHROPIC_API_KEY", "CO_API_KEY", "WEAVIATE_API_KEY"]), fast_lane = toset(["WEAVIATE_API_KEY"]) }
    error_message = "A lane has the key of a model that writes or reranks, or the api has none."
  }

  assert {
    condition     = output.secrets["anthropic"] == "ragbase-anthropic-api-key"
    error_message = "Nobody asks for the key."
  }
}

run "with_an_openai_compatible_endpoint_there_is_its_key_and_no_other" {
  command = plan

  variables {
    settings = { embedder = "openai", openai_url = "https://llm.example.com/v1", embedding_model = "bge-m3" }
  }

  assert {
    condition     = module.function["fast_lane"].promises.secrets == { OPENAI_API_KEY = "ragbase-openai-api-key", WEAVIATE_API_KEY = "ragbase-weaviate-api-key" } && length(google_project_iam_member.vertex) == 0
    error_message = "A lane has no key for the endpoint, or a key or a right that it does not need."
  }
}

run "an_endpoint_that_only_writes_has_a_key_of_its_own" {
  command = plan

  variables {
    settings = { embedder = "vertex", generator = "openai", chat_url = "https://llm.example.com/v1", chat_model = "qwen3" }
  }

  assert {
    condition     = module.function["api"].promises.secrets == { RAGBASE_CHAT_API_KEY = "ragbase-chat-api-key", WEAVIATE_API_KEY = "ragbase-weaviate-api-key" }
    error_message = "The api has no key for the endpoint that writes, or another key."
  }
}

run "an_index_of_the_service_before_can_be_asked_until_it_is_replaced" {
  command = plan

  variables {
    settings    = { embedder = "vertex" }
    more_models = ["cohere", "reranker"]
  }

  assert {
    condition     = contains(keys(module.function["fast_lane"].promises.secrets), "CO_API_KEY") && module.function["api"].promises.secrets["RAGBASE_RERANKER_API_KEY"] == "ragbase-reranker-api-key" && !contains(keys(module.function["fast_lane"].promises.secrets), "RAGBASE_RERANKER_API_KEY")
    error_message = "Documents cannot be embedded until the reindex is done, or a lane has the key of the reranker."
  }
}

run "with_cohere_nothing_of_vertex_ai_is_there" {
  command = plan

  assert {
    condition     = length(google_project_iam_member.vertex) == 0 && length(google_project_service.vertex) == 0 && toset(keys(google_secret_manager_secret.this)) == toset(["cohere", "password", "weaviate"])
    error_message = "An API is enabled, a right granted or a secret made that nobody needs."
  }
}

run "a_region_without_models_is_reported" {
  command = plan

  variables {
    settings = { embedder = "vertex", vertex_location = "europe-west10" }
  }

  expect_failures = [check.vertex_location]
}

run "models_that_embed_are_not_at_global" {
  command = plan

  variables {
    settings = { embedder = "vertex", vertex_location = "global" }
  }

  expect_failures = [var.settings]
}

run "a_model_that_writes_has_to_be_named" {
  command = plan

  variables {
    settings = { generator = "vertex" }
  }

  expect_failures = [var.settings]
}

run "an_unknown_service_is_refused" {
  command = plan

  variables {
    more_models = ["coher"]
  }

  expect_failures = [var.more_models]
}
