import Glibc
import LatchkeyDevice
import LatchkeyEtcdStore
import LatchkeyPlainText
import LatchkeySyncStore

/// The store that a transport serves, as its option `--store` names it.
enum StoreChoice: Sendable {
    /// The absolute path of the folder.
    case folder(String)
    case etcd(EtcdAddress)

    private static let folderPrefix = "folder:"

    init(_ text: String) throws(ProgramOptions.Failure) {
        if text.hasPrefix(Self.folderPrefix) {
            let path = String(text.dropFirst(Self.folderPrefix.count))
            guard PathText.isAbsolute(path) else {
                throw ProgramOptions.Failure(description: "--store needs the whole path of the folder, from / on")
            }
            self = .folder(path)
        } else if text.hasPrefix(EtcdAddress.prefix) {
            do throws(EtcdAddress.Failure) {
                self = .etcd(try EtcdAddress(text))
            } catch {
                throw ProgramOptions.Failure(description: "--store: \(error)")
            }
        } else {
            throw ProgramOptions.Failure(description: "--store is folder:DIR or etcd:https://HOST, not \(text)")
        }
    }

    /// The text that tells which store it is, without the files of this machine.
    var text: String {
        switch self {
        case .folder(let path): Self.folderPrefix + path
        case .etcd(let address): address.serverText
        }
    }

    /// The files and folders that the transport has to reach after its start.
    var readablePaths: [String] {
        switch self {
        case .folder: []
        // To find the addresses of servers, and the authorities that certify them where no others are named.
        case .etcd:
            [
                "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf",
                "/etc/services",
                "/etc/ssl", "/run/systemd/resolve", "/run/nscd",
            ]
        }
    }

    /// Files of the system that are replaced as a whole: the confinement binds the right to read to the file of the start.
    static let replacedPaths = ["/etc/resolv.conf", "/etc/hosts"]

    var writablePaths: [String] {
        switch self {
        case .folder(let path): [path]
        case .etcd: []
        }
    }

    var usesInternet: Bool {
        switch self {
        case .folder: false
        case .etcd: true
        }
    }
}
