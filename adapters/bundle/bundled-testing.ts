/** `npm run bundle` replaces this module by a bundle of `start-for-tests.ts`. */
export { startForTests } from './start-for-tests.ts'
