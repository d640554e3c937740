/// The source of the digest of a user's fingerprint templates.
package enum TemplateSource: Sendable, Hashable {
    /// fprintd's directory of one user, which this process may read.
    case directory(String)
    /// The socket of a service of root that returns the digest (``TemplateService``).
    case socket(String)

    /// fprintd's own directory for templates.
    package static let standardDirectory = "/var/lib/fprint"

    /// Returns nil if the templates cannot be read, or there are none.
    package func digest() -> [UInt8]? {
        switch self {
        case .directory(let path): TemplateDirectory(path: path).digest()
        case .socket(let path): TemplateService.ask(path)
        }
    }
}
