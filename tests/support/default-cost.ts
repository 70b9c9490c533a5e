/** The shipped cost of a hash: an empty setting counts as not set. */
export const DEFAULT_COST = { SCRYPT_LOG_N: '', SCRYPT_R: '', SCRYPT_P: '' }
