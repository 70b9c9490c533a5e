/**
 * An API key of either kind inside a text. The prefix alone is not enough: ids of signing keys are base64url and contain
 * any three characters by chance.
 */
export const API_KEY = /(?<![\w-])(?:pk_[0-9a-f]{8}-|sk_[0-9A-Za-z]{49})/i
