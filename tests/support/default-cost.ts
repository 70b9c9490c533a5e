/** The cost of a hash as it is shipped: an empty setting counts as not set. */
export const DEFAULT_COST = { SCRYPT_LOG_N: '', SCRYPT_R: '', SCRYPT_P: '' }
