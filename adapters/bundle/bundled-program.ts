/** `npm run bundle` replaces this module by a bundle of `program.ts`. */
export { loadChecks, loadComposition, run } from './program.ts'
