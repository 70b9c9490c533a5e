/** `npm run bundle` replaces this module by a bundle of `separate-testing.ts`. */
export { startForTests } from './separate-testing.ts'
