project     = "ragbase-dev-example"
api_callers = [] # who may ask, for example ["user:you@your-company.com"]
