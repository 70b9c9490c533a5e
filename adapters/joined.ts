/** `npm run bundle` replaces this module by a bundle of `separate.ts`. */
export { loadChecks, loadComposition, run } from './separate.ts'
