export type { PasswordRule } from '../application/passwords/password-rules.ts'
export type { Announcements } from '../application/ports/announcements.ts'
export type { Background } from '../application/ports/background.ts'
export type { Clock, Digests, Random, Timer } from '../application/ports/environment.ts'
export {
  type CountKey,
  type CountKind,
  type FailureCounts,
  KEPT_AT_MOST,
} from '../application/ports/failure-counts.ts'
export type { Abandoned, Overloaded, PasswordCheckUnavailable } from '../application/ports/failures.ts'
export type {
  IdTokenKey,
  IdTokenKeys,
  PrivateRsaJwk,
  PublicRsaJwk,
} from '../application/ports/id-token-keys.ts'
export {
  type Identity,
  type IdentityProvider,
  type IdentityRefused,
  type IdentityRequest,
  LONGEST_ANSWER,
  type ProviderUnavailable,
} from '../application/ports/identity-provider.ts'
export type { Finding } from '../application/ports/inspection.ts'
export type {
  CannotUnwrap,
  KeyWrapping,
  WrappedKey,
  WrappingState,
} from '../application/ports/key-wrapping.ts'
export type { FilesUnavailable, LogFiles, WritableLogFiles } from '../application/ports/log-files.ts'
export type { LineQuery, LogLine, LogLines } from '../application/ports/log-lines.ts'
export {
  EMPTY_TREE,
  type ExtendTree,
  type LogTree,
  type PrunedEntries,
  type StoredTile,
  type StoredTree,
  type TileName,
  type TreeExtension,
  type TreeReads,
  type TreeState,
  treeOf,
} from '../application/ports/log-tree.ts'
export type {
  Accepted,
  CheckedRelay,
  Later,
  Letter,
  LetterKind,
  Mailer,
  Message,
  Refused,
  RelayDown,
  WriteLetter,
} from '../application/ports/mail.ts'
export type { Notes } from '../application/ports/notes.ts'
export {
  type ClaimQuery,
  type FailedMailsQuery,
  type HeldMail,
  type MailCounts,
  type MailFailure,
  type MailQuery,
  OUTBOX_METHODS,
  type Outbox,
  type OutboxFull,
  type PostponeQuery,
  type PutQuery,
  type RetriedMail,
  type SettledMail,
} from '../application/ports/outbox.ts'
export type {
  ExpectedCeremony,
  InvalidPasskey,
  PasskeyVerifier,
  RegisteredPasskey,
  VerifiedAssertion,
} from '../application/ports/passkey-verifier.ts'
export type {
  AbortSignalLike,
  HashingRefused,
  HashingRequest,
  HashingShare,
  PasswordHasher,
  RecordState,
} from '../application/ports/password-hasher.ts'
export type { LeakedPasswords, PasswordEstimator } from '../application/ports/password-strength.ts'
export {
  ENTRIES_KEPT_AT_MOST,
  type NewProtocolEntry,
  PROTOCOL_KINDS,
  PROTOCOL_STATE_METHODS,
  type ProtocolEntry,
  type ProtocolKind,
  type ProtocolReplacement,
  type ProtocolState,
} from '../application/ports/protocol-state.ts'
export type {
  EntryFilter,
  FoundPositions,
  KeptPositions,
  ModelEntry,
  ModelPruning,
  ModelQuery,
  ModelRefusal,
  ModelState,
  ModelStep,
  ModelTally,
  ReadModel,
  ReadModelUnavailable,
} from '../application/ports/read-model.ts'
export { FORMER_KEY_SECONDS, type SealedFor, type Sealing } from '../application/ports/sealing.ts'
export { NOTES_AT_MOST, type ServerNote, type ServerNotes } from '../application/ports/server-notes.ts'
export type { Storage, StorageOptions, StoreOpening } from '../application/ports/storage.ts'
export * from '../application/ports/store.ts'
export {
  COPY_PAGE,
  type Copy,
  type CopyPage,
  type CopyPart,
  type CopyState,
  type LockedSource,
  type NotEmpty,
  type NotOpen,
  type StoreContents,
  type StoreCopy,
  type StoredCount,
  type StoredEntry,
} from '../application/ports/store-copy.ts'
export type {
  ApplicationTokens,
  InvalidToken,
  JwtFormat,
  KeyUnusable,
  PublicJwk,
  PublicPaserk,
  TokenFormat,
  UserJwts,
  UserTokens,
} from '../application/ports/token-format.ts'
export type { TreeDigests } from '../application/ports/tree-digests.ts'
export type { Refusals } from '../application/recording/note-refusals.ts'
export type { ApplicationCaller, UserCaller } from '../domain/access.ts'
export type { AccountRemovalRequest } from '../domain/account-removal.ts'
export type { Application, ApplicationRequest } from '../domain/application.ts'
export type { ApplicationTokenRequest } from '../domain/application-token.ts'
export type { AssuranceClaims, Authentication, Methods } from '../domain/assurance.ts'
export {
  type Attributes,
  type AttributesPatch,
  nameKeyOf,
  type UserAttributesRequest,
} from '../domain/attributes.ts'
export type { EmailConfirmationRequest, EmailConfirmationStartRequest } from '../domain/email-confirmation.ts'
export type { EndSessionRequest } from '../domain/end-session.ts'
export type { Actor, Event, EventType } from '../domain/event.ts'
export type { FeedRequest } from '../domain/event-feed.ts'
export type { RefusalType } from '../domain/event-row.ts'
export type { Factor, FactorFacts, FactorKind } from '../domain/factor.ts'
export type { FactorRemovalRequest, FactorRenamingRequest } from '../domain/factor-management.ts'
export type { Field } from '../domain/field.ts'
export type { IdentityStartRequest } from '../domain/identity.ts'
export { IDENTITY_REFUSALS, type IdentityRefusal } from '../domain/identity-refusal.ts'
export type { LifetimesRequest } from '../domain/lifetimes.ts'
export type { Mail, MailFacts, MailKind, MailState } from '../domain/mail.ts'
export type { Sha256 } from '../domain/merkle-tree.ts'
export type { OneTimeToken, OneTimeTokenFacts } from '../domain/one-time-token.ts'
export type { OwnEmailRequest } from '../domain/own-email.ts'
export type { InvalidAnswer, PasskeyCredential, PasskeyState } from '../domain/passkey.ts'
export type { PasskeyEnrolmentRequest } from '../domain/passkey-enrolment.ts'
export type { PasswordChangeRequest } from '../domain/password-change.ts'
export type { PasswordEstimate } from '../domain/password-policy.ts'
export type { RecoveryMailRequest, RecoveryRequest, RecoveryStartRequest } from '../domain/recovery.ts'
export type { ClientRequest } from '../domain/redirect-uris.ts'
export type { RefusalReason } from '../domain/refusal-reasons.ts'
export type { RegistrationRequest } from '../domain/registration.ts'
export { PRUNABLE_TYPES } from '../domain/retention.ts'
export type { RolesRequest } from '../domain/roles-change.ts'
export type { SecondFactorRequest } from '../domain/second-factor.ts'
export { type Session, type SessionFacts, withoutEndedLabel } from '../domain/session.ts'
export type { SignInRequest } from '../domain/sign-in.ts'
export type { AcceptedPurpose, KeyPurpose, RequiredPurpose, SigningKey } from '../domain/signing-key.ts'
export type { StepUpRequest } from '../domain/step-up.ts'
export type { Failures } from '../domain/throttle.ts'
export type {
  ApplicationTokenClaims,
  RevokedToken,
  UserJwtClaims,
  UserTokenClaims,
  UserTokenFormat,
} from '../domain/token.ts'
export type { TotpEnrolmentRequest } from '../domain/totp-enrolment.ts'
export { emailKey, type HashedPassword, type User, type UserStatus } from '../domain/user.ts'
export type { ImportRequest } from '../domain/user-import.ts'
export type { UserIdRequest } from '../domain/user-management.ts'
export type { UserSearchRequest } from '../domain/user-search.ts'
export type { VouchedSignInRequest } from '../domain/vouched-sign-in.ts'
export * from './composition/package.ts'
