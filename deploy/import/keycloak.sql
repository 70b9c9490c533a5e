-- Users of a realm of Keycloak, as its export has them: keycloak.mjs reads these lines.
SELECT json_build_object(
  'id', u.id, 'email', u.email, 'emailVerified', u.email_verified, 'enabled', u.enabled,
  'createdTimestamp', u.created_timestamp,
  'requiredActions', ARRAY(SELECT required_action FROM user_required_action WHERE user_id = u.id),
  'credentials', (
    SELECT json_agg(json_build_object(
      'type', type, 'userLabel', user_label, 'secretData', secret_data, 'credentialData', credential_data))
    FROM credential WHERE user_id = u.id))
FROM user_entity u JOIN realm r ON r.id = u.realm_id
WHERE r.name = :'realm'
ORDER BY u.created_timestamp;
