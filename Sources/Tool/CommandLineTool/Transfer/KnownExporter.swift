/// A program whose exports have columns of its own bookkeeping: identifiers, times, and where it filed a record.
///
/// Their values are in every export of it, and are lost without a word. Every other column with a value is named.
enum KnownExporter: CaseIterable {
    case firefox
    case keePassXC
    case bitwarden
    case protonPass
    case onePassword
    case lastPass
    case dashlane
    case nordPass

    /// The columns that tell the exporter, in small letters. All of them are in its files.
    private var signature: [String] {
        switch self {
        case .firefox: ["httprealm", "formactionorigin", "guid"]
        case .keePassXC: ["group", "title", "last modified", "created"]
        case .bitwarden: ["type", "login_uri", "login_username", "login_password"]
        case .protonPass: ["type", "name", "email", "username", "password"]
        case .onePassword: ["title", "favorite", "archived"]
        case .lastPass: ["extra", "grouping", "fav"]
        case .dashlane: ["username2", "username3", "category"]
        case .nordPass: ["cardholdername", "cardnumber", "folder"]
        }
    }

    private var bookkeeping: [String] {
        switch self {
        case .firefox: ["formactionorigin", "guid", "timecreated", "timelastused", "timepasswordchanged"]
        case .keePassXC: ["group", "icon", "last modified", "created"]
        case .bitwarden: ["folder", "favorite", "type", "reprompt", "collections", "archiveddate"]
        case .protonPass: ["type", "createtime", "modifytime", "vault"]
        case .onePassword: ["favorite", "archived"]
        case .lastPass: ["grouping", "fav"]
        case .dashlane: ["category"]
        case .nordPass: ["folder", "type"]
        }
    }

    /// The names among those of a file that are bookkeeping of the program that wrote it.
    /// - Parameter names: of all columns, in small letters.
    static func bookkeeping(in names: [String]) -> Set<String> {
        let present = Set(names)
        return allCases.filter { present.isSuperset(of: $0.signature) }.reduce(into: []) {
            $0.formUnion($1.bookkeeping)
        }
    }
}
