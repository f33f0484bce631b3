// Shows the contract with the Swagger UI that is served from this machine.
const place = document.getElementById("contract");
SwaggerUIBundle({
  url: place.dataset.contract,
  domNode: place,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  persistAuthorization: false,
  supportedSubmitMethods: ["get", "head"],
  validatorUrl: null,
});
