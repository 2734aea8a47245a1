"""The operations that ask: searches, answers, and the questions that `ragbase eval` asks."""

from __future__ import annotations

from ragbase.access.caller import Scope
from ragbase.domain.audit import Action
from ragbase.interfaces.api.operation import EVENTS, WITH_HISTORY, Answer, Model, Operation
from ragbase.interfaces.http.body_limit import Line

_QUESTION_REFUSALS = (
    "INVALID_REQUEST; TENANT_NEEDED: there are too many tenants to search all; or QUESTION_REFUSED: the service of a "
    "model does not take this question."
)

QUESTION_OPERATIONS = (
    Operation(
        id="query",
        method="POST",
        path="/api/query",
        summary="Find the passages that answer a question.",
        action=Action.QUERY,
        scope=Scope.READ,
        is_public_query=True,
        most=WITH_HISTORY,
        body=Model("SearchRequest"),
        example={"query": "When does the nightly backup start?", "topK": 3, "filter": {"pathPrefix": "guides/"}},
        answers={200: Answer(meaning="The passages, best first.", body=Model("QueryResponse"))},
        refusals={400: _QUESTION_REFUSALS},
    ),
    Operation(
        id="answer",
        method="POST",
        path="/api/answer",
        summary="Answer a question in sentences, each with verified citations.",
        action=Action.ANSWER,
        scope=Scope.READ,
        is_public_query=True,
        most=WITH_HISTORY,
        line=Line.WRITERS,
        body=Model("QueryRequest"),
        example={
            "query": "And how long is it kept?",
            "filter": {"pathPrefix": "guides/"},
            "history": [
                {"role": "user", "text": "When does the nightly backup start?"},
                {"role": "assistant", "text": "It starts at 02:30.", "documentIds": ["e816…"]},
            ],
        },
        answers={
            200: Answer(
                meaning="The answer. With `Accept: text/event-stream` it comes as events: `evidence`, a `sentence` for "
                "each, and `done`, or `error`.",
                body=Model("AnswerResponse"),
                other_type=EVENTS,
            )
        },
        refusals={400: _QUESTION_REFUSALS},
    ),
    Operation(
        id="explain",
        method="POST",
        path="/api/explain",
        summary="Say at which stage a question loses a document, or where it finds it.",
        action=Action.EXPLAIN,
        scope=Scope.READ,
        line=Line.WRITERS,
        body=Model("ExplainRequest"),
        example={"query": "When does the nightly backup start?", "document": "guides/backup.md"},
        answers={200: Answer(meaning="The stage, with the figures of each stage.", body=Model("ExplainResponse"))},
        refusals={400: f"INVALID_PATH: no document can have this name; {_QUESTION_REFUSALS}"},
    ),
    Operation(
        id="listGoldenQuestions",
        method="GET",
        path="/api/golden-questions",
        summary="List the questions that `ragbase eval` asks, each with the document that should answer it.",
        scope=Scope.READ,
        answers={200: Answer(meaning="The questions, oldest first.", body=Model("GoldenQuestionsResponse"))},
    ),
    Operation(
        id="keepGoldenQuestion",
        method="POST",
        path="/api/golden-questions",
        summary="Keep a question and the document that should answer it for `ragbase eval`.",
        action=Action.KEEP_QUESTION,
        scope=Scope.WRITE,
        body=Model("GoldenQuestionRequest"),
        example={"question": "When does the nightly backup start?", "document": "guides/backup.md"},
        answers={
            201: Answer(meaning="It is kept.", body=Model("GoldenQuestionBody")),
            200: Answer(meaning="It was kept before.", body=Model("GoldenQuestionBody")),
        },
        refusals={
            404: "NOT_FOUND: there is no such document.",
            409: "TOO_MANY_QUESTIONS: no more are kept. Remove one first.",
        },
    ),
    Operation(
        id="removeGoldenQuestion",
        method="DELETE",
        path="/api/golden-questions/{question}",
        summary="Forget a golden question.",
        action=Action.REMOVE_QUESTION,
        scope=Scope.WRITE,
        answers={204: Answer(meaning="It is forgotten.")},
        refusals={404: "NOT_FOUND: there is no such question."},
    ),
    Operation(
        id="listEvaluations",
        method="GET",
        path="/api/evaluations",
        summary="Show what `ragbase eval` has found with the golden questions.",
        scope=Scope.READ,
        is_of_operator=True,
        answers={200: Answer(meaning="The last runs, oldest first.", body=Model("EvaluationsResponse"))},
    ),
)
