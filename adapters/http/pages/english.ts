import { languages } from '../../texts/languages.ts'

/** The language of the pages that have only one. */
export const ENGLISH = languages({}, 'en').find('en')
