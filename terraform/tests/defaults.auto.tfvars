# The variables that all tests start with. A test file or a run sets other values where it needs them.

project = "ragbase-test"

archives = {
  api         = { path = "api.zip", sha256 = "1111111111111111111111111111111111111111111111111111111111111111" }
  dead_letter = { path = "dead_letter.zip", sha256 = "2222222222222222222222222222222222222222222222222222222222222222" }
  fast_lane   = { path = "fast_lane.zip", sha256 = "3333333333333333333333333333333333333333333333333333333333333333" }
  heavy_lane  = { path = "heavy_lane.zip", sha256 = "4444444444444444444444444444444444444444444444444444444444444444" }
  janitor     = { path = "janitor.zip", sha256 = "5555555555555555555555555555555555555555555555555555555555555555" }
  router      = { path = "router.zip", sha256 = "6666666666666666666666666666666666666666666666666666666666666666" }
}

weaviate = { url = "https://weaviate.example.com" }
