/** The version of this package. A test compares it with package.json, which an image need not contain. */
export const VERSION = '0.2.0'
