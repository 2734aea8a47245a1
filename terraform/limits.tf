# What the functions need all together when every instance runs, and what it must fit into.

locals {
  demand = {
    cpu        = sum([for limits in values(local.functions) : limits.max_instances * limits.cpu])
    memory_gib = sum([for limits in values(local.functions) : limits.max_instances * limits.memory_mib]) / 1024
  }

  # The texts that all documents at work have for the embedding service, and what it takes from documents meanwhile:
  # 13 chunks a document, as in docs/scale.md, within the 75 s of an attempt in the fast lane.
  inputs_at_work = 13 * sum([for name in ["fast_lane", "heavy_lane"] : local.functions[name].max_instances * local.functions[name].concurrency])
  embedding_rate = tonumber(lookup(var.settings, "${local.embedder}_rate", lookup({ cohere = 2000, vertex = 10000 }, local.embedder, 0)))
}

# More instances would wait and cost money, and no document would be ready sooner.
check "embedding_rate" {
  assert {
    condition     = local.embedding_rate == 0 || local.inputs_at_work * 60 <= local.embedding_rate * 75
    error_message = "All lanes together have ${local.inputs_at_work} texts to embed at once, but the embedding service takes ${local.embedding_rate} a minute: documents would wait in instances that cost money. Lower max_instances, or raise ${local.embedder}_rate to what your key or your quota allows."
  }
}

# Google may let a new project build only in these regions (https://cloud.google.com/build/docs/locations, "Restricted regions
# for some projects"). It says so only when the functions are built, after everything else was made.
check "build_region" {
  assert {
    condition     = contains(["us-central1", "us-west2", "europe-west1", "asia-east1", "australia-southeast1", "southamerica-east1"], var.region)
    error_message = "A new project may not be allowed to build functions in ${var.region}: then the first deployment ends with \"due to quota restrictions, cannot run builds in this region\". Before it, ask Google for Cloud Build in ${var.region}, or take us-central1, us-west2, europe-west1, asia-east1, australia-southeast1 or southamerica-east1 as the region. Where functions were built before, this says nothing."
  }
}
