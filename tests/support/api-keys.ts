/**
 * An API key of either kind as it stands in a text. The prefix alone would not do: identifiers of signing keys are
 * base64url, in which any three characters turn up by chance now and then.
 */
export const API_KEY = /(?<![\w-])(?:pk_[0-9a-f]{8}-|sk_[0-9A-Za-z]{49})/i
