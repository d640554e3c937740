/// One kind of operation on a file with a shadow.
enum ShadowOperation: CaseIterable {
    case write, append, read, readAll, dropAndRead
    case truncate, truncateByPath, emptyAtOpening
    case mapWrite, mapRead, synchronize, synchronizeData, reopen
    case rename, linkAndUnlink, replace, readRemoved
    case punch, allocate, allocateKeepingSize, copyRange

    /// The frequency among all others.
    var weight: Int {
        switch self {
        case .write: 12
        case .read, .append, .mapWrite: 6
        case .readAll, .dropAndRead, .truncate, .reopen: 4
        case .mapRead, .synchronize, .punch, .allocate, .copyRange: 3
        case .truncateByPath, .rename, .linkAndUnlink, .replace: 2
        case .emptyAtOpening, .synchronizeData, .readRemoved, .allocateKeepingSize: 1
        }
    }

    static let weighted = allCases.flatMap { [ShadowOperation](repeating: $0, count: $0.weight) }
}
