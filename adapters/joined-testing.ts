/** `make build` replaces this module by one in which the modules of `separate-testing.ts` are joined into a few files. */
export { startForTests } from './separate-testing.ts'
