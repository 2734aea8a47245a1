# Copy this to terraform.tfvars, fill it in, and commit it: it holds no secret.
project     = "ragbase-dev-example"
api_callers = [] # who may ask, for example ["user:you@your-company.com"]
