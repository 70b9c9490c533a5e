/** `make build` replaces this module by one in which the modules of `separate.ts` are joined into a few files. */
export { loadChecks, loadComposition, run } from './separate.ts'
