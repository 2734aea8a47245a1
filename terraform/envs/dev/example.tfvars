project     = "ragbase-dev-example"
api_callers = ["user:me@example.com"]
