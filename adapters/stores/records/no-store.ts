/** DATABASE_URL leads to a place without a store. The message is for operators. */
export class NoStore extends Error {}
