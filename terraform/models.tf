# The services whose models the functions ask, and what each needs: the key of a vendor, or for Vertex AI only the right of the
# function's own account. Then nothing leaves Google Cloud, and no vendor has a key. `settings` names them as everywhere.

locals {
  embedder  = lookup(var.settings, "embedder", "cohere")
  generator = lookup(var.settings, "generator", "extractive")
  reranker  = lookup(var.settings, "reranker", "none")

  # An OpenAI-compatible endpoint that only writes has a key of its own (RAGBASE_CHAT_URL).
  writer = local.generator == "openai" && can(var.settings.chat_url) ? "chat" : local.generator

  embedding_functions = ["fast_lane", "heavy_lane", "api"] # of documents, and of questions

  # Only the api writes answers and puts results in order.
  model_callers = {
    for service in ["anthropic", "chat", "cohere", "openai", "reranker", "vertex"] : service => (
      service == local.embedder || contains(var.more_models, service) && service != "reranker" ? local.embedding_functions :
      contains([local.writer, local.reranker], service) || contains(var.more_models, service) ? ["api"] : []
    )
  }

  # The environment variable of settings.py for the key of each service.
  model_keys = {
    for service, variable in {
      anthropic = "ANTHROPIC_API_KEY"
      chat      = "RAGBASE_CHAT_API_KEY"
      cohere    = "CO_API_KEY"
      openai    = "OPENAI_API_KEY"
      reranker  = "RAGBASE_RERANKER_API_KEY"
    } : service => variable if length(local.model_callers[service]) > 0
  }

  embedding_service = lookup({ openai = "the OpenAI-compatible endpoint", vertex = "Vertex AI" }, local.embedder, "Cohere")

  # Texts stay in the region of everything else. A model that is not there needs another place.
  vertex_location = lookup(var.settings, "vertex_location", var.region)
}

# Apart from the APIs in services.tf: what var.settings says cannot decide what all other resources wait for.
resource "google_project_service" "vertex" {
  count              = length(local.model_callers.vertex) == 0 ? 0 : 1
  project            = var.project
  service            = "aiplatform.googleapis.com"
  disable_on_destroy = false
}

# The role lets an account ask all models of the project (https://cloud.google.com/vertex-ai/docs/general/access-control).
resource "google_project_iam_member" "vertex" {
  for_each = toset(local.model_callers.vertex)
  project  = var.project
  role     = "roles/aiplatform.user"
  member   = "serviceAccount:${google_service_account.function[each.key].email}"
}

# https://docs.cloud.google.com/vertex-ai/generative-ai/docs/learn/locations: Google adds regions, so this refuses nothing.
check "vertex_location" {
  assert {
    condition = length(local.model_callers.vertex) == 0 || contains([
      "global", "us", "eu", "us-central1", "us-east1", "us-east4", "us-east5", "us-south1", "us-west1", "us-west4",
      "northamerica-northeast1", "southamerica-east1", "europe-central2", "europe-north1", "europe-southwest1", "europe-west1",
      "europe-west2", "europe-west3", "europe-west4", "europe-west6", "europe-west8", "europe-west9", "asia-east1", "asia-east2",
      "asia-northeast1", "asia-northeast3", "asia-south1", "asia-southeast1", "australia-southeast1", "me-central1", "me-central2", "me-west1",
    ], local.vertex_location)
    error_message = "Vertex AI may have no models in ${local.vertex_location}: then documents wait, and questions get 503. Set vertex_location in settings to a region near your data that has them, such as europe-west4 or us-central1."
  }
}

variable "more_models" {
  description = "Services that functions may ask besides those that settings name: anthropic, cohere, openai or vertex, as long as the index in use was made with one (until ragbase reindex has replaced it), or reranker, if the one at reranker_url needs a key."
  type        = list(string)
  default     = []
  validation {
    condition     = length(setsubtract(var.more_models, ["anthropic", "cohere", "openai", "reranker", "vertex"])) == 0
    error_message = "more_models: there is no ${join(", ", setsubtract(var.more_models, ["anthropic", "cohere", "openai", "reranker", "vertex"]))}. It can have anthropic, cohere, openai, reranker and vertex."
  }
}
