"""The OpenAPI document that is served: valid, and answered as it says."""
import openapi_spec_validator


def test_the_document_is_valid(server):
    status, document = server.get("/openapi.json")
    assert status == 200
    assert document["openapi"].startswith("3.1")
    openapi_spec_validator.validate(document)
