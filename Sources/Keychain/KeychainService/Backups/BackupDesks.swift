/// The desks for questions about backups: under which password and by whose right they are made, what is in them, and
/// which hosts need no passcode.
struct BackupDesks: Sendable {
    let password: BackupPasswordDesk
    let grants: BackupGrantDesk
    let content: BackupContentDesk
    let escrows: EscrowDesk
}
