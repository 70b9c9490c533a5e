/** This package's version: the one in package.json, which is not there for everybody who runs this. */
export const VERSION = '0.1.0'
