-- Users of SuperTokens with a password: one line of docs/import.md for each. The tables are those of its core since version 7.
SELECT json_build_object(
  'id', CASE WHEN id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN id END,
  'email', u.email,
  'email_verified', EXISTS (
    SELECT FROM emailverification_verified_emails v
    WHERE v.app_id = u.app_id AND v.email = u.email AND v.user_id IN (u.user_id::text, own.external_user_id)),
  'password_hash', u.password_hash,
  'created_at', to_timestamp(u.time_joined / 1000))
FROM emailpassword_users u
JOIN app_id_to_user_id a ON a.app_id = u.app_id AND a.user_id = u.user_id
LEFT JOIN userid_mapping own ON own.app_id = u.app_id AND own.supertokens_user_id = u.user_id
LEFT JOIN userid_mapping main ON main.app_id = u.app_id AND main.supertokens_user_id = a.primary_or_recipe_user_id
CROSS JOIN LATERAL (SELECT coalesce(main.external_user_id, a.primary_or_recipe_user_id::text)) AS seen (id)
WHERE u.app_id = :'app'
ORDER BY u.time_joined;
