import type { ImportProblem } from '../../domain/user-import.ts'

/** Says what is wrong with a line, without its values: they are secret or personal. */
export const importSentence = (problem: ImportProblem): string =>
  problem._tag === 'RecordRefused' ? `"password_hash": ${problem.reason}` : SENTENCES[problem._tag]

const SENTENCES: Readonly<Record<Exclude<ImportProblem['_tag'], 'RecordRefused'>, string>> = {
  EmailMissing: '"email" must be a text that is not empty.',
  EmailMalformed: '"email" must be an e-mail address with at most 254 characters.',
  RecordMissing: '"password_hash" must be a text that is not empty.',
  IdMalformed: '"id" must be a UUID.',
  IdTaken: '"id" belongs to a user with another e-mail address.',
  EmailVerifiedMalformed: '"email_verified" must be true or false.',
  CreatedAtMalformed: '"created_at" must be a time in RFC 3339, for example 2024-05-01T12:00:00Z.',
  CreatedAtOutOfRange: '"created_at" must be between 1970-01-01T00:00:00Z and now.',
}
